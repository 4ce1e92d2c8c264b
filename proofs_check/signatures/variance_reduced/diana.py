"""DIANA: compressed differences to shifts that learn the gradients leave no floor."""

from __future__ import annotations

from dataclasses import replace

from algorithms.methods.variance_reduced.diana import Diana
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature, at_end
from theory.stepsizes import ConstantStep

_STEP = ConstantStep(0.5)


def measure(side: Side) -> Seen:
    """f - f* after the last step."""
    own = bit_stage.by_row("diana", _STEP)
    assert isinstance(own, Diana)
    method = {
        Side.METHOD: own,
        Side.BASELINE: bit_stage.by_row("qsgd", _STEP),
        Side.FAULT: replace(own, alpha=0.0),
    }[side]
    return at_end(bit_stage.descent(method, 16, steps=120))


SIGNATURE = Signature(
    row="diana",
    problem=bit_stage.ABOUT,
    effect="workers that differ leave no error floor though their gradients are quantised",
    quantity="f - f* after 120 steps [f]",
    method="DIANA",
    baseline="QSGD, 4 levels",
    fault="shifts stay at zero (alpha = 0)",
    at_most=1e-3,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Mishchenko, Gorbunov, Takac, Richtarik 2019, arXiv:1901.09269, Theorem 2",
    told=f"n = {bit_stage.N}, gamma = {_STEP.gamma:g}, 16 replicas of seed 0",
    scales=("linear", "log"),
)

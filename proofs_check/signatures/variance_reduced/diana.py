"""DIANA: compressed differences to shifts that learn the gradients leave no floor."""

from __future__ import annotations

from dataclasses import replace

from algorithms.methods.variance_reduced.diana import Diana
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_STEP = ConstantStep(0.5)


def measure(side: Arm) -> Measurement:
    """f - f* after the last step."""
    own = bits_setting.by_row("diana", _STEP)
    assert isinstance(own, Diana)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: bits_setting.by_row("qsgd", _STEP),
        Arm.FAULT: replace(own, alpha=0.0),
    }[side]
    return at_end(bits_setting.descent(method, 16, steps=120))


SIGNATURE = EffectCheck(
    row="diana",
    problem=bits_setting.ABOUT,
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
    told=f"n = {bits_setting.N}, gamma = {_STEP.gamma:g}, 16 replicas of seed 0",
    scales=("linear", "log"),
)

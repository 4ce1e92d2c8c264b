"""Square-root scaling: eight times the batch needs fewer steps, with its noise per step kept."""

from __future__ import annotations

from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.large_batch.scaling import steps_to, told
from theory.stepsizes import ConstantStep

_GAMMA, _MU, _SIGMA2, _STEPS, _TARGET = 0.05, 0.1, 2.0, 600, 0.015
_WRONG = ConstantStep(_GAMMA)


def measure(side: Arm) -> Measurement:
    """Steps to an accuracy, with eight times the batch or without."""
    return steps_to(
        side, "sqrt-scaling", _GAMMA, _WRONG, _TARGET, mu=_MU, sigma2=_SIGMA2, steps=_STEPS
    )  # fmt: skip


SIGNATURE = EffectCheck(
    row="sqrt-scaling",
    problem="quadratic-sc-iid",
    effect="eight times the batch needs fewer steps, with its noise per step kept",
    quantity=f"steps to f(x) - f* = {_TARGET:g}",
    method="stepsize times sqrt(8), batch times 8",
    baseline="the base batch at the base stepsize",
    fault="eight times the batch at the base stepsize",
    at_most=0.55,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Krizhevsky 2014, arXiv:1404.5997, Section 5: times sqrt(k) in theory",
    told=told(_GAMMA, _MU, _SIGMA2),
    scales=("linear", "log"),
)

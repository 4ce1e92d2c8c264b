"""Linear scaling: eight times the batch needs a fraction of the steps."""

from __future__ import annotations

from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.large_batch.scaling import steps_to, told
from theory.stepsizes import ConstantStep

_GAMMA, _MU, _SIGMA2, _STEPS, _TARGET = 0.05, 0.1, 2.0, 600, 0.015
_WRONG = ConstantStep(_GAMMA)


def measure(side: Arm) -> Measurement:
    """Steps to an accuracy, with eight times the batch or without."""
    return steps_to(
        side, "linear-scaling", _GAMMA, _WRONG, _TARGET, mu=_MU, sigma2=_SIGMA2, steps=_STEPS
    )  # fmt: skip


SIGNATURE = EffectCheck(
    row="linear-scaling",
    problem="quadratic-sc-iid",
    effect="eight times the batch needs a fraction of the steps",
    quantity=f"steps to f(x) - f* = {_TARGET:g}",
    method="stepsize and batch times 8, warmed up",
    baseline="the base batch at the base stepsize",
    fault="eight times the batch at the base stepsize",
    at_most=0.4,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Goyal et al. 2017, arXiv:1706.02677, Section 2.1: the linear scaling rule",
    told=told(_GAMMA, _MU, _SIGMA2),
    scales=("linear", "log"),
)

"""LEGW: fewer steps with a large batch, from a stepsize whose linear multiple diverges."""

from __future__ import annotations

from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.large_batch.scaling import steps_to, told
from theory.stepsizes import ConstantStep, GradualWarmUpStep

_GAMMA, _MU, _SIGMA2, _STEPS, _TARGET = 0.4, 0.01, 1e-4, 1400, 2e-5
_WRONG = GradualWarmUpStep(ConstantStep(_GAMMA), 8, 64)


def measure(side: Arm) -> Measurement:
    """Steps to an accuracy, with eight times the batch or without."""
    return steps_to(
        side, "legw", _GAMMA, _WRONG, _TARGET, mu=_MU, sigma2=_SIGMA2, steps=_STEPS
    )  # fmt: skip


SIGNATURE = EffectCheck(
    row="legw",
    problem="quadratic-sc-iid",
    effect="fewer steps with a large batch, where the stepsize times the batch diverges",
    quantity=f"steps to f(x) - f* = {_TARGET:g}",
    method="LEGW, batch times 8",
    baseline="the base batch at the base stepsize",
    fault="linear scaling, warmed up for as many steps",
    at_most=0.65,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="You et al. 2019, arXiv:1901.08433, Section 3",
    told=told(_GAMMA, _MU, _SIGMA2),
    scales=("linear", "log"),
)

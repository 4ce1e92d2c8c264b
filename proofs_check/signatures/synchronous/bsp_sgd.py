"""BSP-SGD: n workers have an n-th of the noise."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.problems.entries import problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.methods.faulty.methods import MisscaledBSP
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS = 16, 300, 64
_STEP = ConstantStep(1 / 8)


def measure(side: Arm) -> Measurement:
    """The floor that noise leaves, of one worker and of sixteen."""
    stage = problem("quadratic-sc-iid", 1 if side is Arm.BASELINE else _N)
    method: Method[Any] = row("bsp-sgd").tune(stage, _STEPS, _STEP).method
    if side is Arm.FAULT:
        method = MisscaledBSP(_STEP, 0.5)
    return at_end(run(method, stage, steps=_STEPS, replicas=_REPLICAS, points=101), last=20)


SIGNATURE = EffectCheck(
    row="bsp-sgd",
    problem="quadratic-sc-iid",
    effect="sixteen workers leave an eighth of the noise of one, at most",
    quantity="E f(x_t) - f*, mean over the last 20 records [f]",
    method="BSP-SGD, 16 workers",
    baseline="one worker at the same stepsize",
    fault="a mean that divides by the square root of n",
    at_most=0.125,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Dekel, Gilad-Bachrach, Shamir, Xiao 2012, JMLR, arXiv:1012.1367: linear speed-up",
    told=f"n = {_N}, gamma = 1/8, {_REPLICAS} replicas",
    scales=("linear", "log"),
)

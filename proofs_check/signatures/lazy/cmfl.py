"""CMFL: updates against the common one stay at home, and are not missed above its floor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.lazy.cmfl import CMFL
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.entries import problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS, _TARGET = 16, 1500, 32, 3e-3
_STEP = ConstantStep(1 / 64)


def measure(side: Arm) -> Measurement:
    """Bits that a worker sends until the mean model is good enough."""
    stage = problem("quadratic-sc-iid", _N)
    filtered = row("cmfl").tune(stage, _STEPS, _STEP).method
    assert isinstance(filtered, CMFL)
    method: Method[Any] = filtered
    match side:
        case Arm.BASELINE:
            method = LocalSGD(_STEP, filtered.period)
        case Arm.FAULT:
            method = replace(filtered, threshold=0.8, decays=True)
    trace = run(method, stage, steps=_STEPS, replicas=_REPLICAS, points=100)
    return to_reach(trace, _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="cmfl",
    problem="quadratic-sc-iid",
    effect="uploads that run against the common update are not missed on the way to its floor",
    quantity=f"bits a worker sends until f - f* = {_TARGET:g} [bits]",
    method="CMFL, relevance at least 1/2",
    baseline="local SGD at the same stepsize and period",
    fault="a threshold that decays, 0.8 over the root of the round",
    at_most=0.8,
    measure=measure,
    x_label="bits sent per worker",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Wang, Wang, Li 2019, ICDCS: as accurate with a fraction of the uploads",
    told=f"n = {_N}, H = 8, gamma = 1/64, {_REPLICAS} replicas",
    scales=("linear", "log"),
)

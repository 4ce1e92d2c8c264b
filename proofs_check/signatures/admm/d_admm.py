"""D-ADMM: workers of one colour work side by side."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.methods.base import Method
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.stopwatch import STANDARD
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.mutants.admm import AllAtOnce
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET = 8, 60, 1e-6
_STEP = ConstantStep(4.0)


def measure(side: Arm) -> Measurement:
    """Modelled seconds until the mean model is good enough, every solve ten gradients."""
    problem = unequal(_N, sigma2=0.0)
    key = "decentralised-admm" if side is Arm.BASELINE else "d-admm"
    right = row(key).tune(problem, _STEPS, _STEP).method
    assert isinstance(right, GraphADMM)
    method: Method[Any] = AllAtOnce(right) if side is Arm.FAULT else right
    trace = run(method, problem, steps=_STEPS, points=_STEPS + 1, timing=STANDARD)
    seen = to_reach(trace, _TARGET, "seconds")
    return seen._replace(y=seen.y.clip(max=10.0))  # the fault diverges: drawn up to 10


SIGNATURE = EffectCheck(
    row="d-admm",
    problem="quadratic-unequal, no noise",
    effect="workers of one colour solve side by side, at no loss in steps",
    quantity=f"modelled seconds until f - f* = {_TARGET:g} [s]",
    method="D-ADMM, two colours",
    baseline="ADMM in turn at the same rho, the best of 1/2, 1/4, 1/8 for both",
    fault="all workers at once, as if there were one colour",
    at_most=0.4,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* [f]",
    source="Mota, Xavier, Aguiar, Pueschel 2013, arXiv:1202.2805, Section IV: colours in parallel",
    told=f"n = {_N}, ring, rho = 1/4, times of the survey, seed 0",
    scales=("linear", "log"),
)

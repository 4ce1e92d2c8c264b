"""Asynchronous ADMM: a slow worker is not waited for."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.admm.admm_star import StarADMM
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.compute_times import Constant
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET = 8, 250, 1e-6
_STEP, _ALL = ConstantStep(2.0), ConstantStep(4.0)  # the better of 2 and 4 for each
_TIMES = Constant((1e-2,) * 7 + (6e-2,))


def measure(side: Arm) -> Measurement:
    """Modelled seconds until the master's model is good enough; one worker is six times as slow."""
    problem = unequal(_N, sigma2=0.0)
    step = _ALL if side is Arm.BASELINE else _STEP
    method = row("async-admm").tune(problem, _STEPS, step).method
    assert isinstance(method, StarADMM)
    method = replace(method, times=_TIMES)
    if side is not Arm.METHOD:  # all are waited for
        method = replace(method, barrier=PartialBarrier(_N, 1))
    trace = run(method, problem, steps=_STEPS, points=_STEPS + 1)
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="async-admm",
    problem="quadratic-unequal, no noise",
    effect="a slow worker is not waited for, within the bound on delays",
    quantity=f"modelled seconds until f - f* = {_TARGET:g} [s]",
    method="asynchronous ADMM, four of eight",
    baseline="synchronous ADMM at its best rho",
    fault="a barrier that waits for all, at the rho of the asynchronous",
    at_most=0.85,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* [f]",
    source="Zhang, Kwok 2014, ICML, Section 5: faster where a worker is slow",
    told=f"n = {_N}, rho = 1/2 and 1/4, solves of 10 ms, one worker 60 ms: nothing is drawn",
    scales=("linear", "log"),
)

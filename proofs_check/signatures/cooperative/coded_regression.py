"""Coded regression: least squares is solved in one round that waits for no straggler."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.catalogue import row
from algorithms.engine.run import Trace, run
from algorithms.methods.cooperative.coded_regression import CodedRegression
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.least_squares_data import dealt, packaged
from algorithms.synchronisation.stopwatch import STANDARD
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.mutants.cooperative import Uncoded
from theory.stepsizes import ConstantStep

_N, _TARGET, _REPLICAS, _SEED = 8, 1e-6, 8, 13
_ROUNDING = 1e-16  # what is drawn of less: axes of powers have no zero
_DESCENT_STEPS = 400


def _trace(side: Arm) -> Trace:
    problem = dealt(packaged()[:1], _N, "diabetes in file order")
    if side is Arm.BASELINE:
        c = problem.constants()
        best = ConstantStep(2 / (c.need("L") + c.need("mu")))
        return run(
            BSP(best), problem, steps=_DESCENT_STEPS, replicas=_REPLICAS, seed=_SEED,
            timing=STANDARD,
        )  # fmt: skip
    coded = row("coded-regression").tune(problem, 2).method
    assert isinstance(coded, CodedRegression)
    method = replace(coded, schedule_seed=_SEED)
    wanted = method if side is Arm.METHOD else Uncoded(method)
    return run(wanted, problem, steps=2, replicas=_REPLICAS, seed=_SEED)


def measure(side: Arm) -> Measurement:
    """Modelled seconds to an accuracy that the wrong normal equations never reach.

    Drawn no lower than rounding, which an exact solution may end on either side of.
    """
    seen = to_reach(_trace(side), _TARGET, "seconds")
    return seen._replace(y=np.maximum(seen.y, _ROUNDING))


SIGNATURE = EffectCheck(
    row="coded-regression",
    problem="least squares on diabetes, 8 columns, 8 shards in file order",
    effect="least squares is solved in one round that waits for no straggler",
    quantity=f"modelled time to f(x) - f* = {_TARGET:g} [s]",
    method="coded regression",
    baseline="BSP gradient descent at its best constant stepsize 2/(L + mu), waiting for all",
    fault="one round of uncoded normal equations, of those who came in time",
    at_most=0.1,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* [f]",
    source="Haddadpour, Kamani, Mahdavi, Cadambe 2019 by survey 000, Section 3.1.2",
    told=f"n = {_N}, two stragglers dropped, {_REPLICAS} replicas of the times, seed {_SEED}; "
    "a worker's round is 27 gradients and 72 numbers",
    scales=("linear", "log"),
)

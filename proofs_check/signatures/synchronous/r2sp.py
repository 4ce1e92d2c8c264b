"""R2SP: workers that take turns never share the server's link."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Bulk, RoundRobin
from algorithms.synchronisation.conditions import Linked
from algorithms.synchronisation.stopwatch import STANDARD
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.tuned_arm import at_best
from theory.stepsizes import ConstantStep

_N, _ROUNDS, _REPLICAS, _TARGET = 8, 60, 64, 2e-2
_GRID = (1 / 4, 1 / 2, 1.0, 1.5)  # of a mean; of a single gradient an n-th of it
_TRANSFER = 2.5e-4  # seconds of one model on the server's link, either way
_ALONE = Linked(STANDARD.times, _TRANSFER, _TRANSFER)
_SHARED = Linked(STANDARD.times, _N * _TRANSFER, _N * _TRANSFER)  # n transfers at once


def measure(side: Arm) -> Measurement:
    """Modelled seconds until the server's model is good enough; one transfer at a time."""
    return at_best(partial(_play, side), _GRID, _REPLICAS)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    stage = Quadratic.strongly_convex(_N, 20, sigma2=0.01, zeta2=1.0)
    ticks = _ROUNDS * _N
    method = row("r2sp").tune(stage, ticks, ConstantStep(gamma / _N)).method
    assert isinstance(method, ParameterServer)
    match side:
        case Arm.METHOD:
            method = replace(method, times=_ALONE, barrier=RoundRobin(_TRANSFER))
        case Arm.BASELINE:
            method = replace(method, times=_SHARED, barrier=Bulk(), weighting=Weighting.SUM)
            ticks = _ROUNDS
        case Arm.FAULT:
            method = replace(method, times=_SHARED, barrier=RoundRobin())
    trace = run(method, stage, steps=ticks, seed=seed, replicas=replicas, points=121)
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="r2sp",
    problem="strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    effect="transfers that take turns do not share the server's link",
    quantity=f"modelled seconds until f - f* = {_TARGET:g} [s]",
    method="R2SP",
    baseline="BSP, whose transfers share the link, every gradient of the same weight",
    fault="turns whose transfers share the link all the same",
    at_most=0.85,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* [f]",
    source="Chen, Wang, Li 2019, INFOCOM: contention is what round robin removes",
    told=f"n = {_N}, each at the best of {_GRID} on seed 1, "
    f"a transfer 0.25 ms, {_REPLICAS} replicas",
    scales=("linear", "log"),
)

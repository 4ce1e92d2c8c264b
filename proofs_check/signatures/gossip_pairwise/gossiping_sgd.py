"""Gossiping SGD: no barrier, so that nobody waits for stragglers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_pairwise.gossiping_sgd import GossipingSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.tuned_arm import at_best
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

_N, _TICKS, _ROUNDS, _TARGET, _REPLICAS = 16, 800, 60, 1e-3, 128
_GRID = (0.4, 0.8, 1.6)
_TIMES = Exponential(1.0)


def measure(side: Arm) -> Measurement:
    """Seconds until the mean model is accurate."""
    return at_best(partial(_play, side), _GRID, _REPLICAS)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    problem = Quadratic.strongly_convex(_N, 10, sigma2=0.0, R2=1.0)
    steps = {Arm.METHOD: _TICKS, Arm.BASELINE: _ROUNDS, Arm.FAULT: _ROUNDS}[side]
    method: Method[Any] = row("bsp-sgd").tune(problem, steps, step).method
    if side is not Arm.BASELINE:
        right = row("gossiping-sgd").tune(problem, steps, step).method
        assert isinstance(right, GossipingSGD)
        method = replace(right, times=_TIMES, replicas=replicas)
        if side is Arm.FAULT:
            method = replace(method, barrier=Bulk())
    trace = run(
        method, problem, steps=steps, seed=seed, replicas=replicas, points=min(steps + 1, 150),
        timing=Timing(_TIMES, AlphaBeta(0.0, 0.0)),
    )  # fmt: skip
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="gossiping-sgd",
    problem="quadratic-sc-iid, no noise",
    effect="without a barrier nobody waits for stragglers",
    quantity=f"seconds until f(x_t) - f* of the mean model is {_TARGET:g} [s]",
    method="gossiping SGD, pull",
    baseline="all-reduce SGD (BSP)",
    fault="gossiping SGD whose workers wait for each other",
    at_most=0.8,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Jin, Yuan, Iandola, Keutzer 2016, arXiv:1611.04581, section 3",
    told=f"n = {_N}, complete graph, gradients take an exponential time of mean 1 s, messages "
    f"none, each at the best of {_GRID} on seed 1, {_REPLICAS} replicas of seed 2",
    scales=("linear", "log"),
)

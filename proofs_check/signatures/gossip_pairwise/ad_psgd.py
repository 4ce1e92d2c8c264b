"""AD-PSGD: one slow worker does not slow the others down."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import Timing
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.tuned_arm import at_best
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

_N, _TICKS, _ROUNDS, _TARGET = 8, 480, 60, 1e-5
_GRID = (0.1, 0.2, 0.4, 0.8, 1.6)
_TIMES = Constant((10.0, *(1.0,) * (_N - 1)))


def measure(side: Arm) -> Measurement:
    """Seconds until the mean model is accurate; worker 0 takes ten times as long as the others."""
    return at_best(partial(_play, side), _GRID)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    problem = Quadratic.strongly_convex(_N, 10, sigma2=0.0, R2=1.0)
    steps = {Arm.METHOD: _TICKS, Arm.BASELINE: _ROUNDS, Arm.FAULT: _ROUNDS}[side]
    method: Method[Any] = DPSGD(step, Ring(_N))
    if side is not Arm.BASELINE:
        right = row("ad-psgd").tune(problem, steps, step).method
        assert isinstance(right, ADPSGD)
        method = replace(right, times=_TIMES)
        if side is Arm.FAULT:
            method = replace(method, barrier=Bulk())
    trace = run(
        method, problem, steps=steps, points=steps + 1,
        timing=Timing(_TIMES, AlphaBeta(0.0, 0.0)),
    )  # fmt: skip
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="ad-psgd",
    problem="quadratic-sc-iid, no noise",
    effect="one slow worker does not slow the others down",
    quantity=f"seconds until f(x_t) - f* of the mean model is {_TARGET:g} [s]",
    method="AD-PSGD",
    baseline="D-PSGD",
    fault="AD-PSGD whose workers wait for each other",
    at_most=0.3,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Lian, Zhang, Zhang, Liu 2018, arXiv:1710.06952, section 5: immune to slow workers",
    told=f"n = {_N}, ring, a gradient takes 1 s, worker 0's 10 s, messages take no time, "
    f"each at the best of {_GRID} on seed 1; no noise, one draw of pairs, seed 2",
    scales=("linear", "log"),
)

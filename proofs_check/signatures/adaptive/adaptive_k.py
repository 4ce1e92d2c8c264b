"""Adaptive k: the number of entries follows the time that they cost."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.adaptive.adaptive_k import AdaptiveK
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.mean_estimation_setting import normal_rows
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

_N, _D, _STEPS, _STEP, _SHARE = 4, 4096, 40, ConstantStep(0.5), 0.01
_LINK = AlphaBeta(5e-5, 1e-8)  # 100 Mbit/s: a message of all entries takes 31 gradients


@cache
def _problem() -> Quadratic:
    """||x - b_i||^2 / 2 with entries of b_i that fall as 1/j, nine tenths of them common."""
    rows = normal_rows(1, _D, "common") + 0.1 * normal_rows(_N, _D, "own")
    falling = rows / (1 + torch.arange(_D))
    return Quadratic.from_arrays(torch.ones_like(falling), falling)


def measure(side: Arm) -> Measurement:
    """Modelled seconds until f - f* is at most a hundredth of its start."""
    problem = _problem()
    catalogued = row("adaptive-k").tune(problem, _STEPS, _STEP).method
    assert isinstance(catalogued, AdaptiveK)
    own = replace(catalogued, cost=_LINK)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: replace(own, width=1e-9),
        Arm.FAULT: replace(own, cost=AlphaBeta(own.cost.alpha, 0.0)),
    }[side]
    timing = Timing(Constant(own.compute), own.cost)
    trace = run(method, problem, steps=_STEPS, points=_STEPS + 1, timing=timing)
    return to_reach(trace, _SHARE * float(trace.suboptimality[0, 0]), "seconds")


SIGNATURE = EffectCheck(
    row="adaptive-k",
    problem=f"mean of {_N} rows whose entries fall as 1/j, d = {_D}, without noise",
    effect="a number of entries that follows the time they cost saves a third of the time of the "
    "number it starts from",
    quantity="modelled seconds until f - f* <= f_0/100 [s]",
    method="adaptive k, from d/2",
    baseline="k = d/2 throughout, at the same stepsize",
    fault="bits are taken for free: k follows the steps, not the time",
    at_most=0.75,
    measure=measure,
    x_label="modelled seconds",
    y_label="f(x_t) - f* [f]",
    source="Han, Wang, Leung 2020, arXiv:2001.04756, Algorithm 3 and Section V",
    told=f"n = {_N}, gamma = {_STEP.gamma:g}, a gradient takes 0.1 ms, links of 100 Mbit/s; "
    "nothing is drawn",
    scales=("linear", "log"),
)

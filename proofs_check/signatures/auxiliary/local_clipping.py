"""Local clipping: a bound on what one gradient does to the model, where noise has a heavy tail."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from algorithms.catalogue import problem, row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.heavy_tailed import NAME
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.instruments.tuned_arm import at_best
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS = 8, 300, 192
_GRID = (0.01, 0.03, 0.1, 0.3)
_stage = cache(partial(problem, NAME, _N))


def measure(side: Arm) -> Measurement:
    """Mean of min(f(x_t), f(x_0)) - f* over the second half, each side at its best stepsize.

    The noise has no variance, so that E f of an unclipped model is infinite: what a run loses is
    counted up to where it started.
    """
    return at_best(partial(_run, side), _GRID, _REPLICAS)


def _run(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    stage, step = _stage(), ConstantStep(gamma)
    method: Method[Any] = BSP(step)
    if side is not Arm.BASELINE:
        clipped = row("local-clipping").tune(stage, _STEPS, step).method
        assert isinstance(clipped, BSP)
        method = clipped if side is Arm.METHOD else replace(clipped, transform=ClipNorm(1e4))
    trace = run(method, stage, steps=_STEPS, seed=seed, replicas=replicas, points=_STEPS + 1)
    capped = np.minimum(trace.suboptimality, trace.suboptimality[:, :1])
    return at_end(replace(trace, suboptimality=capped), last=_STEPS // 2)


SIGNATURE = EffectCheck(
    row="local-clipping",
    problem=NAME,
    effect="clipping bounds what one gradient does where noise has no variance",
    quantity="mean of min(f(x_t), f(x_0)) - f* over the second half of the run [f]",
    method="gradients clipped at the norm that one in ten exceeds at x_0",
    baseline="BSP-SGD",
    fault="a threshold that hardly any gradient exceeds",
    at_most=0.3,
    measure=measure,
    x_label="steps",
    y_label="min(f(x_t), f(x_0)) - f* [f]",
    source="Lin, Han, Mao, Wang, Dally 2018, arXiv:1712.01887, Section 3.3; Zhang et al. 2020, "
    "arXiv:1912.03194, Remark 1: without clipping SGD may not converge",
    told=f"n = {_N}, {_STEPS} steps, each at the best of the stepsizes {_GRID} on seed 1; "
    f"{_REPLICAS} replicas of seed 2",
    scales=("linear", "log"),
)

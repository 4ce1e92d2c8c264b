"""What stepsizes scaled with the batch are for: an accuracy in fewer steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.catalogue import row
from algorithms.engine.run import Diverged, run
from algorithms.methods.base import Method
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, Measurement, to_reach
from theory.stepsizes import ConstantStep, Stepsize

_N, _D, _REPLICAS, _SEED = 4, 100, 48, 83
_DRAWN = 10.0  # errors beyond are drawn as this: a run that diverges says no more


def steps_to(
    side: Arm,
    key: str,
    gamma: float,
    wrong: Stepsize,
    target: float,
    *,
    mu: float,
    sigma2: float,
    steps: int,
) -> Measurement:
    """Steps until f(x) - f* is at most ``target`` with eight times the batch, of row ``key`` whose
    base stepsize is ``gamma``; the baseline has the base batch, the fault the stepsizes ``wrong``.
    """
    problem = Quadratic.strongly_convex(_N, _D, mu=mu, sigma2=sigma2)
    base = ConstantStep(gamma)
    method = row(key).tune(problem, steps, base).method
    assert isinstance(method, Batched)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: method,
        Arm.BASELINE: BSP(base),
        Arm.FAULT: replace(method, method=BSP(wrong)),
    }
    wanted = sides[side]
    try:
        trace = run(wanted, problem, steps=steps, replicas=_REPLICAS, seed=_SEED, points=300)
    except Diverged as error:
        trace = error.trace
    seen = to_reach(trace, target, "steps")
    return seen._replace(y=np.minimum(seen.y, _DRAWN))


def told(gamma: float, mu: float, sigma2: float) -> str:
    """What makes the run again."""
    return (
        f"n = {_N}, d = {_D}, mu = {mu:g}, sigma2 = {sigma2:g}, base stepsize {gamma:g}, batch "
        f"times 8; {_REPLICAS} replicas, seed {_SEED}"
    )

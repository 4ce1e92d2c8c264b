"""Sketched-SGD: the largest coordinates of the mean, found in sketches that add up."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_budget
from proofs_check.instruments.mean_estimation_setting import normal_rows
from theory.stepsizes import ConstantStep

_N, _D, _STEPS, _STEP, _BUDGET, _REPLICAS = 8, 2048, 26, ConstantStep(0.2), 2.5e5, 16


@cache
def _problem() -> Quadratic:
    """||x - b_i||^2 / 2 with scattered entries of b_i of all sizes 1/j, mostly common."""
    rows = normal_rows(1, _D, "common") + 0.1 * normal_rows(_N, _D, "own")
    falling = rows / (1 + (1021 * torch.arange(_D)) % _D)  # heavy entries anywhere
    return Quadratic.from_arrays(torch.ones_like(falling), falling)


def measure(side: Arm) -> Measurement:
    """f - f* once a worker has sent the budget of bits."""
    problem = _problem()
    own = row("sketched-sgd").tune(problem, _STEPS, _STEP).method
    assert isinstance(own, SketchedSGD)
    method: Method[Any] = own
    if side is Arm.BASELINE:
        method = BSP(_STEP)
    elif side is Arm.FAULT:
        method = replace(own, width=1)
    replicas = 1 if side is Arm.BASELINE else _REPLICAS
    trace = run(method, problem, steps=_STEPS, replicas=replicas, points=_STEPS + 1)
    return at_budget(trace, _BUDGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="sketched-sgd",
    problem=f"mean of {_N} rows whose entries fall as 1/j, d = {_D}, without noise",
    effect="sketches of 80 counters, which add up, find the heavy coordinates of 2048, so "
    "that a budget of bits leaves a small part of the error",
    quantity=f"f - f* after {_BUDGET:g} bits of a worker [f]",
    method="Sketched-SGD, k = d/50, sketch of 5 x 16",
    baseline="BSP with full gradients at the same stepsize",
    fault="one counter a row, which says nothing of where",
    at_most=0.2,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Ivkin, Rothchild, Ullah, Braverman, Stoica, Arora 2019, arXiv:1903.04488, Algorithm 3",
    told=f"gamma = {_STEP.gamma:g}, {_REPLICAS} replicas of seed 0",
)

"""Truncated gradient: weights are pulled to zero and stay there, so online models are sparse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.truncation import truncate
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.base import Transform
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.mean_estimation_setting import sweep
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_N, _D, _RELEVANT, _REPLICAS = 4, 64, 6, 16
_STEP, _SIZES = ConstantStep(0.1), (10, 40, 100, 200)


@final
@dataclass(frozen=True)
class TruncatedTransform(Transform):
    """T_1 of the gradient in place of the weights, as the survey prints it (erratum E29)."""

    @property
    def name(self) -> str:
        return "truncated gradients"

    def apply(self, g: Tensor, n: int) -> Tensor:
        return truncate(g, 0.01, 0.5)


@cache
def _problem() -> Quadratic:
    """6 weights of 64 are 1, the others 0; gradients are noisy."""
    truth = (torch.arange(_D) < _RELEVANT).to(torch.float64).expand(_N, _D).clone()
    return Quadratic.from_arrays(torch.ones_like(truth), truth, sigma2=0.01)


def measure(side: Arm) -> Measurement:
    """Weights that are not zero, over the number of steps."""
    return sweep(_SIZES, lambda steps: _count(side, steps))


def _count(side: Arm, steps: int) -> Floats:
    match side:
        case Arm.METHOD:
            method = row("truncated-gradient").tune(_problem(), steps, _STEP).method
        case Arm.BASELINE:
            method = BSP(_STEP)
        case Arm.FAULT:
            method = BSP(_STEP, transform=TruncatedTransform())
    trace = run(method, _problem(), steps=steps, replicas=_REPLICAS, points=2)
    return np.asarray((trace.model != 0).sum(-1), dtype=np.float64)


SIGNATURE = EffectCheck(
    row="truncated-gradient",
    problem=f"{_RELEVANT} weights of {_D} matter, gradients with noise",
    effect="a small pull every tenth step leaves the weights that do not matter at zero, where "
    "SGD's are never zero",
    quantity=f"weights that are not zero after {_SIZES[-1]} steps [weights]",
    method="truncated gradient, g0 = 0.01, theta = 0.5, K = 10",
    baseline="SGD at the same stepsize",
    fault="gradients are truncated in place of weights",
    at_most=0.25,
    measure=measure,
    x_label="steps",
    y_label="weights that are not zero",
    source="Langford, Li, Zhang 2009, JMLR 10, Sections 3.3 and 6.2",
    told=f"n = {_N}, gamma = {_STEP.gamma:g}, sigma2 = 0.01, {_REPLICAS} replicas of seed 0",
)

"""Two-way truncation: gradients up and models down both are as short as a sparse model."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import torch

from algorithms.catalogue import row
from algorithms.compressors.identity import Identity
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.sparsification.two_way_truncation import TwoWayTruncation
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.bits_setting import both_ways_to
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import ConstantStep

_N, _D, _RELEVANT, _STEPS, _TARGET, _STEP = 4, 64, 6, 150, 1e-3, ConstantStep(0.1)


@cache
def _problem() -> Quadratic:
    """6 weights of 64 are 1, the others 0."""
    truth = (torch.arange(_D) < _RELEVANT).to(torch.float64).expand(_N, _D).clone()
    return Quadratic.from_arrays(torch.ones_like(truth), truth)


def measure(side: Arm) -> Measurement:
    """Bits of a worker both ways until f - f* is at most the target."""
    own = row("two-way-truncation").tune(_problem(), _STEPS, _STEP).method
    assert isinstance(own, TwoWayTruncation)
    method: Method[Any] = own
    if side is Arm.BASELINE:
        method = BSP(_STEP)
    elif side is Arm.FAULT:
        method = replace(own, down=Identity())
    return both_ways_to(run(method, _problem(), steps=_STEPS, points=_STEPS + 1), _TARGET)


SIGNATURE = EffectCheck(
    row="two-way-truncation",
    problem=f"{_RELEVANT} weights of {_D} matter, without noise",
    effect="truncating gradients on their way up and models on their way down costs no steps where "
    "the truth is sparse, and saves nearly half of the bits both ways",
    quantity=f"bits a worker sends and receives until f - f* <= {_TARGET:g} [bit]",
    method="two-way truncation, half of the entries",
    baseline="BSP with full gradients and models, at the same stepsize",
    fault="models go down in full",
    at_most=0.65,
    measure=measure,
    x_label="bits a worker sends and receives",
    y_label="f(x_t) - f* [f]",
    source="Ren, Haupt 2017, arXiv:1709.00537, Section 3",
    told=f"n = {_N}, gamma = {_STEP.gamma:g}; nothing is drawn",
)

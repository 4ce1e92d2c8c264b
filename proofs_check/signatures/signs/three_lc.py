"""3LC: five ternaries a byte, and a byte for a run of zeros."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from algorithms.catalogue import row
from algorithms.compressors.three_lc import ThreeLC
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.mean_estimation_setting import normal_rows
from theory.stepsizes import Stepsize

_N, _D, _TARGET = 4, 500, 0.01


@cache
def uneven() -> Quadratic:
    """Minimisers whose entries fall as 1/j, as a few gradients are large and most are small."""
    b = (normal_rows(1, _D, "common") + 0.1 * normal_rows(_N, _D, "own")) / (1 + torch.arange(_D))
    return Quadratic.from_arrays(torch.ones_like(b), b, name="uneven entries")


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target."""
    makes: dict[Arm, Callable[[Stepsize], Method[Any]]] = {
        Arm.METHOD: lambda step: row("three-lc").tune(uneven(), bits_setting.STEPS, step).method,
        Arm.BASELINE: lambda step: (
            row("one-bit-sgd").tune(uneven(), bits_setting.STEPS, step).method
        ),
        Arm.FAULT: lambda step: BSP(step, ThreeLC(1.0), ErrorFeedback()),
    }
    return bits_setting.bits_at_best(makes[side], _TARGET, uneven(), replicas=1)


SIGNATURE = EffectCheck(
    row="three-lc",
    problem=f"quadratic, minimisers with entries falling as 1/j, d = {_D}, no noise",
    effect="three values whose runs of zeros are coded take less than one bit a coordinate",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="3LC",
    baseline="1-bit SGD",
    fault="without the code for runs of zeros",
    at_most=0.1,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Lim, Andersen, Kaminsky 2018, arXiv:1802.07389, Section 3.3",
    told=f"n = {_N}, each at the best of the stepsizes {bits_setting.GRID}; nothing is drawn",
)

"""3LC: five ternaries a byte, and a byte for a run of zeros."""

from __future__ import annotations

from functools import cache

import torch

from algorithms.catalogue import row
from algorithms.compressors.three_lc import ThreeLC
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments import bit_stage
from proofs_check.instruments.mean_stage import normal_rows
from proofs_check.instruments.signature import Seen, Side, Signature

_N, _D, _TARGET = 4, 500, 0.01


@cache
def uneven() -> Quadratic:
    """Minimisers whose entries fall as 1/j, as a few gradients are large and most are small."""
    b = (normal_rows(1, _D, "common") + 0.1 * normal_rows(_N, _D, "own")) / (1 + torch.arange(_D))
    return Quadratic.from_arrays(torch.ones_like(b), b, name="uneven entries")


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target."""
    method = {
        Side.METHOD: row("three-lc").tune(uneven(), bit_stage.STEPS, bit_stage.STEP).method,
        Side.BASELINE: row("one-bit-sgd").tune(uneven(), bit_stage.STEPS, bit_stage.STEP).method,
        Side.FAULT: BSP(bit_stage.STEP, ThreeLC(1.0), ErrorFeedback()),
    }[side]
    return bit_stage.bits_to(bit_stage.descent(method, on=uneven()), _TARGET)


SIGNATURE = Signature(
    row="three-lc",
    problem=f"quadratic, minimisers with entries falling as 1/j, d = {_D}, no noise",
    effect="three values whose runs of zeros are coded take less than one bit a coordinate",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="3LC",
    baseline="1-bit SGD",
    fault="without the code for runs of zeros",
    at_most=0.3,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Lim, Andersen, Kaminsky 2018, arXiv:1802.07389, Section 3.3",
    told=f"n = {_N}, gamma = {bit_stage.STEP.gamma:g}; nothing is drawn",
)

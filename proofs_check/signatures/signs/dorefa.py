"""DoReFa: gradients of few bits need noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.compressors.dorefa import DoReFa
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature
from proofs_check.mutants.signs import UnditheredDoReFa
from theory.stepsizes import Stepsize

_TARGET, _SIGMA2 = 0.01, 0.0


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    makes: dict[Side, Callable[[Stepsize], Method[Any]]] = {
        Side.METHOD: lambda step: bit_stage.by_row("dorefa", step),
        Side.BASELINE: BSP,
        Side.FAULT: lambda step: BSP(step, UnditheredDoReFa(DoReFa(4))),
    }
    return bit_stage.bits_at_best(makes[side], _TARGET, bit_stage.problem(_SIGMA2))


SIGNATURE = Signature(
    row="dorefa",
    problem=bit_stage.noisy(_SIGMA2),
    effect="four bits a coordinate reach the accuracy of full gradients, if noise is added "
    "before rounding",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="DoReFa, 4 bits",
    baseline="BSP with full gradients",
    fault="rounds to the nearest, without noise",
    at_most=0.2,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Zhou, Wu, Ni, Zhou, Wen, Zou 2016, arXiv:1606.06160, Section 2.5: noise is "
    "indispensable",
    told=bit_stage.TUNED,
    scales=("log", "log"),
)

"""DoReFa: gradients of few bits need noise."""

from __future__ import annotations

from algorithms.compressors.dorefa import DoReFa
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature
from proofs_check.mutants.signs import UnditheredDoReFa

_TARGET = 0.01


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target."""
    method = {
        Side.METHOD: bit_stage.by_row("dorefa"),
        Side.BASELINE: bit_stage.uncompressed(),
        Side.FAULT: BSP(bit_stage.STEP, UnditheredDoReFa(DoReFa(4))),
    }[side]
    return bit_stage.bits_to(bit_stage.descent(method, bit_stage.REPLICAS), _TARGET)


SIGNATURE = Signature(
    row="dorefa",
    problem=bit_stage.ABOUT,
    effect="four bits a coordinate reach the accuracy of full gradients, if noise is added "
    "before rounding",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="DoReFa, 4 bits",
    baseline="BSP with full gradients",
    fault="rounds to the nearest, without noise",
    at_most=0.125,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Zhou, Wu, Ni, Zhou, Wen, Zou 2016, arXiv:1606.06160, Section 2.5: noise is "
    "indispensable",
    told=f"{bit_stage.TOLD}, {bit_stage.REPLICAS} replicas of seed 0",
    scales=("log", "log"),
)

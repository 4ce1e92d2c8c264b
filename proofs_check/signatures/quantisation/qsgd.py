"""QSGD: a few levels, right on average, for a small part of the bits."""

from __future__ import annotations

from algorithms.compressors.qsgd import QSGD
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature
from proofs_check.mutants.undithered import Undithered

_TARGET = 0.05


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target."""
    method = {
        Side.METHOD: bit_stage.by_row("qsgd"),
        Side.BASELINE: bit_stage.uncompressed(),
        Side.FAULT: BSP(bit_stage.STEP, Undithered(QSGD(4))),
    }[side]
    return bit_stage.bits_to(bit_stage.descent(method, bit_stage.REPLICAS), _TARGET)


SIGNATURE = Signature(
    row="qsgd",
    problem=bit_stage.ABOUT,
    effect="four levels reach the accuracy of full gradients for a small part of the bits, "
    "because their errors cancel on average",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="QSGD, 4 levels",
    baseline="BSP with full gradients",
    fault="every entry goes to the nearest level, not by chance",
    at_most=0.125,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Alistarh, Grubic, Li, Tomioka, Vojnovic 2017, arXiv:1610.02132, Theorems 3.2 and 3.4",
    told=f"{bit_stage.TOLD}, {bit_stage.REPLICAS} replicas of seed 0",
    scales=("log", "log"),
)

"""Natural compression: rounding to powers of two costs an eighth of variance, and 52 bits less."""

from __future__ import annotations

from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature
from proofs_check.mutants.undithered import Undithered

_TARGET = 0.02


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target."""
    method = {
        Side.METHOD: bit_stage.by_row("natural-compression"),
        Side.BASELINE: bit_stage.uncompressed(),
        Side.FAULT: BSP(bit_stage.STEP, Undithered(NaturalCompression())),
    }[side]
    return bit_stage.bits_to(bit_stage.descent(method, bit_stage.REPLICAS), _TARGET)


SIGNATURE = Signature(
    row="natural-compression",
    problem=bit_stage.ABOUT,
    effect="signs and exponents alone reach the accuracy of full gradients in hardly more steps",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="natural compression",
    baseline="BSP with full gradients",
    fault="every entry goes to the nearer power of two, not by chance",
    at_most=0.25,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Horvath, Ho, Horvath, Sahu, Canini, Richtarik 2019, arXiv:1905.10988, Theorem 3: "
    "omega = 1/8",
    told=f"{bit_stage.TOLD}, {bit_stage.REPLICAS} replicas of seed 0",
    scales=("log", "log"),
)

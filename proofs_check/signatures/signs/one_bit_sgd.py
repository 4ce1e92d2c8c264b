"""1-bit SGD: error feedback makes one bit a coordinate enough."""

from __future__ import annotations

from dataclasses import replace

from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature

_TARGET = 0.05


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target."""
    own = bit_stage.by_row("one-bit-sgd")
    assert isinstance(own, BSP)
    method = {
        Side.METHOD: own,
        Side.BASELINE: bit_stage.uncompressed(),
        Side.FAULT: replace(own, memory=NoMemory()),
    }[side]
    return bit_stage.bits_to(bit_stage.descent(method), _TARGET)


SIGNATURE = Signature(
    row="one-bit-sgd",
    problem=bit_stage.ABOUT,
    effect="one bit a coordinate reaches the accuracy of full gradients, because what it leaves "
    "out is sent later",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="1-bit SGD",
    baseline="BSP with full gradients",
    fault="without error feedback",
    at_most=0.08,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Seide, Fu, Droppo, Li, Yu 2014 (Interspeech), Section 3: error feedback is essential",
    told=f"{bit_stage.TOLD}",
    scales=("log", "log"),
)

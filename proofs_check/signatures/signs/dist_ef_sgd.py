"""dist-EF-SGD: error feedback on the server too lets signs go both ways."""

from __future__ import annotations

from dataclasses import replace

from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature
from theory.stepsizes import ConstantStep

_TARGET = 0.05


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target."""
    own = bit_stage.by_row("dist-ef-sgd", ConstantStep(0.05))
    assert isinstance(own, BSP)
    method = {
        Side.METHOD: own,
        Side.BASELINE: bit_stage.by_row("ef-signsgd"),
        Side.FAULT: replace(own, server_memory=NoMemory()),
    }[side]
    return bit_stage.both_ways_to(bit_stage.descent(method), _TARGET)


SIGNATURE = Signature(
    row="dist-ef-sgd",
    problem=bit_stage.ABOUT,
    effect="signs in both directions reach the accuracy, where one-way compression hears floats",
    quantity=f"bits a worker sends and receives until f - f* <= {_TARGET} [bit]",
    method="dist-EF-SGD with momentum 1/2",
    baseline="EF-signSGD, which is answered in floats",
    fault="without error feedback on the server",
    at_most=0.125,
    measure=measure,
    x_label="bits a worker sends and receives",
    y_label="f(x_t) - f* [f]",
    source="Zheng, Huang, Kwok 2019, arXiv:1905.10936, Algorithm 3 and Theorem 2",
    told=f"{bit_stage.TOLD}; with momentum 1/2 half of that",
    scales=("log", "log"),
)

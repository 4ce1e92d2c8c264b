"""1-bit SGD: error feedback makes one bit a coordinate enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.memories.base import NoMemory
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature
from theory.stepsizes import Stepsize

_TARGET, _SIGMA2 = 0.1, 10.0


def _forgetful(step: Stepsize) -> BSP:
    own = bit_stage.by_row("one-bit-sgd", step)
    assert isinstance(own, BSP)
    return replace(own, memory=NoMemory())


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    makes: dict[Side, Callable[[Stepsize], Method[Any]]] = {
        Side.METHOD: lambda step: bit_stage.by_row("one-bit-sgd", step),
        Side.BASELINE: BSP,
        Side.FAULT: _forgetful,
    }
    return bit_stage.bits_at_best(makes[side], _TARGET, bit_stage.problem(_SIGMA2))


SIGNATURE = Signature(
    row="one-bit-sgd",
    problem=bit_stage.noisy(_SIGMA2),
    effect="one bit a coordinate reaches the accuracy of full gradients, because what it leaves "
    "out is sent later",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="1-bit SGD",
    baseline="BSP with full gradients",
    fault="without error feedback",
    at_most=0.15,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Seide, Fu, Droppo, Li, Yu 2014 (Interspeech), Section 3: error feedback is essential",
    told=bit_stage.TUNED,
    scales=("log", "log"),
)

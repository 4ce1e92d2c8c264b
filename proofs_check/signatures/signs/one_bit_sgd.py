"""1-bit SGD: error feedback makes one bit a coordinate enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.memories.base import NoMemory
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import Stepsize

_TARGET, _SIGMA2 = 0.1, 10.0


def _forgetful(step: Stepsize) -> BSP:
    own = bits_setting.by_row("one-bit-sgd", step)
    assert isinstance(own, BSP)
    return replace(own, memory=NoMemory())


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    makes: dict[Arm, Callable[[Stepsize], Method[Any]]] = {
        Arm.METHOD: lambda step: bits_setting.by_row("one-bit-sgd", step),
        Arm.BASELINE: BSP,
        Arm.FAULT: _forgetful,
    }
    return bits_setting.bits_at_best(makes[side], _TARGET, bits_setting.problem(_SIGMA2))


SIGNATURE = EffectCheck(
    row="one-bit-sgd",
    problem=bits_setting.noisy(_SIGMA2),
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
    told=bits_setting.TUNED,
    scales=("log", "log"),
)

"""dist-EF-SGD: error feedback on the server too lets signs go both ways."""

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

_TARGET, _SIGMA2 = 0.05, 10.0


def _forgetful(step: Stepsize) -> BSP:
    own = bits_setting.by_row("dist-ef-sgd", step)
    assert isinstance(own, BSP)
    return replace(own, server_memory=NoMemory())


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    makes: dict[Arm, Callable[[Stepsize], Method[Any]]] = {
        Arm.METHOD: lambda step: bits_setting.by_row("dist-ef-sgd", step),
        Arm.BASELINE: lambda step: bits_setting.by_row("ef-signsgd", step),
        Arm.FAULT: _forgetful,
    }
    return bits_setting.bits_at_best(makes[side], _TARGET, bits_setting.problem(_SIGMA2), both=True)


SIGNATURE = EffectCheck(
    row="dist-ef-sgd",
    problem=bits_setting.noisy(_SIGMA2),
    effect="signs in both directions reach the accuracy, where one-way compression hears floats",
    quantity=f"bits a worker sends and receives until f - f* <= {_TARGET} [bit]",
    method="dist-EF-SGD with momentum 1/2",
    baseline="EF-signSGD, which is answered in floats",
    fault="without error feedback on the server",
    at_most=0.15,
    measure=measure,
    x_label="bits a worker sends and receives",
    y_label="f(x_t) - f* [f]",
    source="Zheng, Huang, Kwok 2019, arXiv:1905.10936, Algorithm 3 and Theorem 2",
    told=bits_setting.TUNED,
    scales=("log", "log"),
)

"""DoReFa: gradients of few bits need noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.compressors.dorefa import DoReFa
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.mutants.signs import UnditheredDoReFa
from theory.stepsizes import Stepsize

_TARGET, _SIGMA2 = 0.01, 0.0


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    makes: dict[Arm, Callable[[Stepsize], Method[Any]]] = {
        Arm.METHOD: lambda step: bits_setting.by_row("dorefa", step),
        Arm.BASELINE: BSP,
        Arm.FAULT: lambda step: BSP(step, UnditheredDoReFa(DoReFa(4))),
    }
    return bits_setting.bits_at_best(makes[side], _TARGET, bits_setting.problem(_SIGMA2))


SIGNATURE = EffectCheck(
    row="dorefa",
    problem=bits_setting.noisy(_SIGMA2),
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
    told=bits_setting.TUNED,
    scales=("log", "log"),
)

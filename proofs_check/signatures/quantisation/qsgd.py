"""QSGD: a few levels, right on average, for a small part of the bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.compressors.qsgd import QSGD
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.mutants.undithered import Undithered
from theory.stepsizes import Stepsize

_TARGET, _SIGMA2, _REPLICAS = 0.05, 3.0, 96


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    makes: dict[Arm, Callable[[Stepsize], Method[Any]]] = {
        Arm.METHOD: lambda step: bits_setting.by_row("qsgd", step),
        Arm.BASELINE: BSP,
        Arm.FAULT: lambda step: BSP(step, Undithered(QSGD(4))),
    }
    return bits_setting.bits_at_best(
        makes[side], _TARGET, bits_setting.problem(_SIGMA2), replicas=_REPLICAS
    )


SIGNATURE = EffectCheck(
    row="qsgd",
    problem=bits_setting.noisy(_SIGMA2),
    effect="four levels reach the accuracy of full gradients for a small part of the bits, "
    "because their errors cancel on average",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="QSGD, 4 levels",
    baseline="BSP with full gradients",
    fault="every entry goes to the nearest level, not by chance",
    at_most=0.5,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Alistarh, Grubic, Li, Tomioka, Vojnovic 2017, arXiv:1610.02132, Theorems 3.2 and 3.4",
    told=f"n = {bits_setting.N}, each at the best of the stepsizes {bits_setting.GRID} on seed 1; "
    f"{_REPLICAS} replicas of seed 2",
    scales=("log", "log"),
)

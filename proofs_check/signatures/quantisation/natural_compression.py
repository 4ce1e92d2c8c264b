"""Natural compression: rounding to powers of two costs an eighth of variance, and 52 bits less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.mutants.undithered import Undithered
from theory.stepsizes import Stepsize

_TARGET, _SIGMA2 = 0.04, 0.0


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    makes: dict[Arm, Callable[[Stepsize], Method[Any]]] = {
        Arm.METHOD: lambda step: bits_setting.by_row("natural-compression", step),
        Arm.BASELINE: BSP,
        Arm.FAULT: lambda step: BSP(step, Undithered(NaturalCompression())),
    }
    return bits_setting.bits_at_best(makes[side], _TARGET, bits_setting.problem(_SIGMA2))


SIGNATURE = EffectCheck(
    row="natural-compression",
    problem=bits_setting.noisy(_SIGMA2),
    effect="signs and exponents alone reach the accuracy of full gradients in hardly more steps",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="natural compression",
    baseline="BSP with full gradients",
    fault="every entry goes to the nearer power of two, not by chance",
    at_most=0.35,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Horvath, Ho, Horvath, Sahu, Canini, Richtarik 2019, arXiv:1905.10988, Theorem 3: "
    "omega = 1/8",
    told=bits_setting.TUNED,
    scales=("log", "log"),
)

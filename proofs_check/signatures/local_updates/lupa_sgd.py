"""LUPA-SGD: under the PL condition periods may grow, and bits are saved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.signatures.local_updates.setting import falling, partly_flat, played, told

_STEPS, _TARGET = 400, 0.1


def measure(side: Arm) -> Measurement:
    """Bits sent by a worker until the mean model is accurate."""
    problem = partly_flat()
    step = falling(problem)
    method = row("lupa-sgd").tune(problem, _STEPS, step).method
    assert isinstance(method, LocalSGD)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: method,
        Arm.BASELINE: BSP(step),
        Arm.FAULT: replace(method, period=2),
    }
    wanted = sides[side]
    return to_reach(played(wanted, problem, _STEPS, 48), _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="lupa-sgd",
    problem="quadratic-unequal, d = 100, flat in half of the coordinates",
    effect="periods that grow keep the accuracy and save bits where f is Polyak-Lojasiewicz",
    quantity=f"bits sent by a worker until f(x) - f* = {_TARGET:g}",
    method="LUPA-SGD, H from 2",
    baseline="BSP-SGD at the same stepsizes",
    fault="periods that stay at the first, H = 2",
    at_most=0.42,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Haddadpour, Kamani, Mahdavi, Cadambe 2019, arXiv:1910.13598, Theorem 2 and Section 5",
    told=told(48),
    scales=("log", "log"),
)

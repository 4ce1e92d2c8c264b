"""Local SGD: the accuracy of SGD that averages every step, in a fraction of the rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.synchronisation.periods import Once
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.signatures.local_updates.setting import (
    ERROR,
    UNEVEN,
    Y_LABEL,
    falling,
    played,
    reached,
    told,
    uneven,
)

_STEPS, _TARGET = 600, 0.03


def measure(side: Arm) -> Measurement:
    """Bits sent by a worker until the workers are accurate."""
    problem = uneven()
    step = falling(problem)
    method = row("local-sgd").tune(problem, _STEPS, step).method
    assert isinstance(method, LocalSGD)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: method,
        Arm.BASELINE: BSP(step),
        Arm.FAULT: replace(method, period=Once(_STEPS + 1)),
    }
    wanted = sides[side]
    return reached(played(wanted, problem, _STEPS), _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="local-sgd",
    problem=UNEVEN,
    effect="the accuracy of SGD that averages every step, for a fraction of the bits",
    quantity=f"bits sent by a worker until {ERROR} = {_TARGET:g}",
    method="local SGD, H = 8",
    baseline="BSP-SGD at the same stepsizes",
    fault="workers that never meet",
    at_most=0.4,
    measure=measure,
    x_label="bits sent by a worker",
    y_label=Y_LABEL,
    source="Stich 2019, arXiv:1805.09767, Corollary 2.3: H = O(sqrt(T/n)) keeps the rate",
    told=told(),
    scales=("log", "log"),
)

"""Qsparse-local-SGD: few of the coordinates, few bits each, now and then, and still accurate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.memories.base import NoMemory
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
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

_STEPS, _TARGET = 700, 0.1


def measure(side: Arm) -> Measurement:
    """Bits sent by a worker until the workers are accurate."""
    problem = uneven()
    step = falling(problem)
    method = row("qsparse-local-sgd").tune(problem, _STEPS, step).method
    assert isinstance(method, LocalSGD)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: method,
        Arm.BASELINE: BSP(step),
        Arm.FAULT: replace(method, memory=NoMemory()),
    }
    wanted = sides[side]
    return reached(played(wanted, problem, _STEPS), _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="qsparse-local-sgd",
    problem=UNEVEN,
    effect="few coordinates, few bits each, now and then: accurate all the same",
    quantity=f"bits sent by a worker until {ERROR} = {_TARGET:g}",
    method="Qsparse-local-SGD, H = 8",
    baseline="BSP-SGD at the same stepsizes",
    fault="no error memory",
    at_most=0.2,
    measure=measure,
    x_label="bits sent by a worker",
    y_label=Y_LABEL,
    source="Basu, Data, Karakus, Diggavi 2019, arXiv:1906.02367, Theorem 2",
    told=told(),
    scales=("log", "log"),
)

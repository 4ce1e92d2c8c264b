"""PQASGD: periodic averaging at a fraction of its bits, because increments are quantised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch

from algorithms.catalogue import row
from algorithms.methods.base import Method, RunContext
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.methods.faulty.faulty_method import FaultyMethod
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

_STEPS, _TARGET = 300, 0.1


@final
@dataclass(frozen=True)
class ModelsQuantised(FaultyMethod):
    """PQASGD whose workers send C(x_i) in the place of C(a - x_i): its error does not shrink."""

    right: LocalSGD

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        return self.right.step(state._replace(anchor=torch.zeros_like(state.anchor)), t, context)


def measure(side: Arm) -> Measurement:
    """Bits sent by a worker until the workers are accurate."""
    problem = uneven()
    step = falling(problem)
    method = row("pqasgd").tune(problem, _STEPS, step).method
    assert isinstance(method, LocalSGD)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: method,
        Arm.BASELINE: LocalSGD(step, 8),
        Arm.FAULT: ModelsQuantised(method),
    }
    wanted = sides[side]
    return reached(played(wanted, problem, _STEPS), _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="pqasgd",
    problem=UNEVEN,
    effect="quantised increments give periodic averaging its accuracy at a fraction of its bits",
    quantity=f"bits sent by a worker until {ERROR} = {_TARGET:g}",
    method="PQASGD, H = 8",
    baseline="periodic averaging of full precision, H = 8",
    fault="models are quantised, not increments",
    at_most=0.35,
    measure=measure,
    x_label="bits sent by a worker",
    y_label=Y_LABEL,
    source="Jiang, Agrawal 2018, NeurIPS, Section 3: PQASGD",
    told=told(),
    scales=("log", "log"),
)

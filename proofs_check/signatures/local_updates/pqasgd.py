"""PQASGD: periodic averaging at a fraction of its bits, because increments are quantised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch

from algorithms.catalogue import row
from algorithms.methods.base import Method, World
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from proofs_check.instruments.signature import Seen, Side, Signature
from proofs_check.methods.faulty.spoilt import Spoilt
from proofs_check.signatures.local_updates.stage import (
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
class ModelsQuantised(Spoilt):
    """PQASGD whose workers send C(x_i) in the place of C(a - x_i): its error does not shrink."""

    right: LocalSGD

    def step(self, state: LocalSGDState, t: int, world: World) -> LocalSGDState:
        return self.right.step(state._replace(anchor=torch.zeros_like(state.anchor)), t, world)


def measure(side: Side) -> Seen:
    """Bits sent by a worker until the workers are accurate."""
    problem = uneven()
    step = falling(problem)
    method = row("pqasgd").tune(problem, _STEPS, step).method
    assert isinstance(method, LocalSGD)
    sides: dict[Side, Method[Any]] = {
        Side.METHOD: method,
        Side.BASELINE: LocalSGD(step, 8),
        Side.FAULT: ModelsQuantised(method),
    }
    wanted = sides[side]
    return reached(played(wanted, problem, _STEPS), _TARGET, "sent_bits")


SIGNATURE = Signature(
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

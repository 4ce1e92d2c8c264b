"""Post-local SGD: leaving out late meetings buys steps, and with them accuracy, for equal bits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from algorithms.catalogue import row
from algorithms.methods.base import RunContext
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.signatures.local_updates.setting import (
    ERROR,
    UNEVEN,
    Y_LABEL,
    ended,
    falling,
    played,
    told,
    uneven,
)

_STEPS, _H, _REPLICAS = 320, 8, 128
_MEETINGS = _STEPS // 2 + _STEPS // 2 // _H


@final
@dataclass(frozen=True)
class Unadopted(FaultyMethod):
    """Post-local SGD whose workers go on with their own models after a late meeting."""

    right: LocalSGD

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        after = self.right.step(state, t, context)
        if t < _STEPS // 2:
            return after
        return after._replace(x=replace(self.right, period=_STEPS + 1).step(state, t, context).x)


def measure(side: Arm) -> Measurement:
    """The workers' error after as many meetings: a step each, but for the method's late ones."""
    problem = uneven()
    step = falling(problem)
    if side is Arm.BASELINE:
        return ended(played(BSP(step), problem, _MEETINGS, _REPLICAS), "sent_bits")
    method = row("post-local-sgd").tune(problem, _STEPS, step).method
    assert isinstance(method, LocalSGD)
    if side is Arm.METHOD:
        return ended(played(method, problem, _STEPS, _REPLICAS), "sent_bits")
    return ended(played(Unadopted(method), problem, _STEPS, _REPLICAS), "sent_bits")


SIGNATURE = EffectCheck(
    row="post-local-sgd",
    problem=UNEVEN,
    effect="leaving out late meetings buys accuracy for equal bits",
    quantity=f"{ERROR} after {_MEETINGS} meetings [x^2]",
    method=f"post-local SGD, H = {_H} after {_STEPS // 2} steps",
    baseline="mini-batch SGD at the same stepsizes",
    fault="in the local phase averages are made, and not adopted",
    at_most=0.8,
    measure=measure,
    x_label="bits sent by a worker",
    y_label=Y_LABEL,
    source="Lin, Stich, Patel, Jaggi 2020, arXiv:1808.07217, Section 3",
    told=told(_REPLICAS),
    scales=("linear", "log"),
)

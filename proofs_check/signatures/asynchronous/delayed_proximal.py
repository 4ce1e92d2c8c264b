"""Delayed proximal gradient: a filter leaves unsent what would stay zero anyway."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from torch import Tensor

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.asynchronous.delayed_proximal import DelayedProximal
from algorithms.methods.parts.gradient_filter import Filter, KKTFilter, NoFilter
from algorithms.problems.entries import problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET = 8, 250, 1.4e-3
_STEP = ConstantStep(0.2)


@final
@dataclass(frozen=True)
class WrongWayRound(Filter):
    """Of the coordinates that are 0 those with small gradients are sent, the others are not.

    Attributes:
        right: the filter whose comparison is turned round.
    """

    right: KKTFilter

    @property
    def name(self) -> str:
        return f"reversed {self.right.name}"

    def sends(self, g: Tensor, x: Tensor, t: int) -> Tensor:
        return (x != 0) | ~self.right.sends(g, x, t)


def measure(side: Arm) -> Measurement:
    """Bits a worker sends until the model is as good as the l1 regulariser lets it be, nearly."""
    stage = problem("sparse-signal", _N)
    method = row("delayed-proximal").tune(stage, _STEPS, _STEP).method
    assert isinstance(method, DelayedProximal)
    right = method.filter
    assert isinstance(right, KKTFilter)
    match side:
        case Arm.BASELINE:
            method = replace(method, filter=NoFilter())
        case Arm.FAULT:
            method = replace(method, filter=WrongWayRound(right))
    return to_reach(run(method, stage, steps=_STEPS, points=_STEPS), _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="delayed-proximal",
    problem="sparse-signal",
    effect="what would stay zero anyway need not be sent",
    quantity=f"bits a worker sends until f - f* = {_TARGET:g} [bits]",
    method="delayed block proximal gradient, KKT filter",
    baseline="the same without a filter",
    fault="the filter's comparison is the wrong way round",
    at_most=0.5,
    measure=measure,
    x_label="bits sent per worker",
    y_label="f(x_t) - f* [f]",
    source="Li, Andersen, Smola, Yu 2014, NIPS, Section 5: half of the traffic and more is saved",
    told=f"n = {_N}, gamma = 0.2, delays up to 2, weight 0.02, delays of seed 0",
)

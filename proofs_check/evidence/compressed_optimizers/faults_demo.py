"""Faults planted in DeMo, each refuted by a closed form of its row."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.methods.compressed_optimizers.demo import DeMo, DeMoState
from algorithms.methods.parts.all_gather import gathered_sum
from algorithms.methods.parts.cosine_transform import CosineTransform
from proofs_check.evidence.compressed_optimizers.closed_forms_demo import (
    demo,
    demo_path,
    momentum_is_conserved,
    momentum_vanishes,
    orthonormal,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step


@final
@dataclass(frozen=True)
class UnscaledCosines:
    """The transform without its scales, taken back by its transposed.

    Attributes:
        right: the orthonormal transform.
    """

    right: CosineTransform

    def forward(self, x: Tensor) -> Tensor:
        """Sums of cosines, longer than the rows."""
        return self.right.forward(x) * math.sqrt(self.right.chunk / 2)

    def inverse(self, coefficients: Tensor) -> Tensor:
        """Sums of cosines again."""
        return self.right.inverse(coefficients) * math.sqrt(self.right.chunk / 2)


@wrong_step("DeMo on one transform", judge=demo_path, on=demo())
def untransformed_step(own: DeMo, state: DeMoState, t: int, context: RunContext) -> DeMoState:
    """coefficients are taken for coordinates: no way back from the transform"""
    g = own.transform.forward(context.gradient(state.x, t))
    momentum = own.beta * state.momentum + g
    packet = context.pack(own.operator, momentum, t)
    step = gathered_sum(packet, context).sign()
    sent = packet.own(context.network.workers)
    return DeMoState(state.x - own.step_rule(t) * step, momentum - sent)


@wrong_step("DeMo of own signs", judge=demo_path, on=demo())
def signs_of_each(own: DeMo, state: DeMoState, t: int, context: RunContext) -> DeMoState:
    """the sum of the workers' signs in the place of the sign of their sum"""
    new = own.step(state, t, context)
    momentum = own.beta * state.momentum + own.transform.forward(context.gradient(state.x, t))
    sent = context.pack(own.operator, momentum, t).own(context.network.workers)
    step = own.transform.inverse(sent).sign().sum(-2, keepdim=True)
    return new._replace(x=state.x - own.step_rule(t) * step)


@wrong_step("DeMo that remembers all", judge=momentum_vanishes)
def kept_momentum(own: DeMo, state: DeMoState, t: int, context: RunContext) -> DeMoState:
    """the momentum is not decremented by what was sent, where all is sent"""
    momentum = own.beta * state.momentum + own.transform.forward(context.gradient(state.x, t))
    return own.step(state, t, context)._replace(momentum=momentum)


@wrong_step("DeMo that forgets all", judge=momentum_is_conserved, on=demo())
def cleared_momentum(own: DeMo, state: DeMoState, t: int, context: RunContext) -> DeMoState:
    """the momentum is cleared, not decremented"""
    new = own.step(state, t, context)
    return new._replace(momentum=torch.zeros_like(new.momentum))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "DeMo not decoupled", "the momentum is not decremented", momentum_is_conserved,
        replace(demo(), decoupled=False),
    ),
    fault(
        "cosines without scales", "a transform that is not orthonormal", orthonormal,
        UnscaledCosines(CosineTransform(12)),
    ),
)  # fmt: skip

"""Faults planted in EF21 with momentum: where and how gradients are averaged."""

from __future__ import annotations

from algorithms.compressors.base import Compressor
from algorithms.methods.base import RunContext
from algorithms.methods.error_feedback.ef21 import EF21, EF21State
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.evidence.error_feedback.closed_forms_momentum import (
    floors,
    momentum,
    recursion,
    symmetric_floors,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import Stepsize


def _always_new(step: Stepsize, compressor: Compressor, eta: float) -> EF21:
    return momentum(step, compressor, 1.0)


@wrong_step("EF21-SGDM with heavy-ball momentum", judge=recursion, of=momentum)
def heavy_ball(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """v_i = (1 - eta) v_i + grad: the new gradient is not weighed by eta"""
    if t == 0 or own.eta == 1:
        return own.step(state, t, context)
    raised = state.momentum + own.gradients.compute(state.x, t, context)
    return own.step(state._replace(momentum=raised), t, context)  # (1 - eta) raised + eta grad


def _without_memory(step: Stepsize, compressor: Compressor, _eta: float) -> BSP:
    return BSP(step, compressor)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault("EF21-SGDM with eta = 1", "no momentum whatever eta", floors, _always_new),
    fault(
        "EF21-SGD that keeps no memory",
        "top-1 of the stochastic gradients themselves",
        symmetric_floors,
        _without_memory,
    ),
)

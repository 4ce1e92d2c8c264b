"""Faults planted in EControl: what is added to differences, and what is kept."""

from __future__ import annotations

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.error_feedback.econtrol import EControl, EControlState
from proofs_check.evidence.error_feedback.closed_forms_control import (
    error_feedback,
    is_fixed_point,
    nothing_is_lost,
    without_control,
)
from proofs_check.mutants.method_mutant import wrong_step


@wrong_step("EControl that measures before it sends", judge=nothing_is_lost, of=EControl)
def old_estimates(
    own: EControl, state: EControlState, t: int, context: RunContext
) -> EControlState:
    """e_i grows by the gradient less the estimate before this round's message"""
    new = own.step(state, t, context)
    return new._replace(unsent=new.unsent + (new.memory - state.memory))


@wrong_step("EControl that forgets what was unsent", judge=error_feedback, of=EControl)
def forgotten_residual(
    own: EControl, state: EControlState, t: int, context: RunContext
) -> EControlState:
    """e_i is never added: EF21 whatever eta"""
    zeros = torch.zeros_like(state.unsent)
    return own.step(state._replace(unsent=zeros), t, context)


@wrong_step("EControl with a share whatever eta", judge=without_control, of=EControl)
def always_controlled(
    own: EControl, state: EControlState, t: int, context: RunContext
) -> EControlState:
    """a tenth of what was left unsent is added where eta = 0 too"""
    return EControl(own.step_rule, own.compressor, max(own.eta, 0.1)).step(state, t, context)


@wrong_step("EControl that compresses gradients, at rest", judge=is_fixed_point, of=EControl)
def untracked_gradients(
    own: EControl, state: EControlState, t: int, context: RunContext
) -> EControlState:
    """h_i is forgotten before each round: C(eta e_i + g_i) is the estimate"""
    nought = torch.zeros_like(state.memory), torch.zeros_like(state.mean)
    return own.step(state._replace(memory=nought[0], mean=nought[1]), t, context)

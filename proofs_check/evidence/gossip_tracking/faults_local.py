"""Local exact diffusion and starts from gradients with one fault each, and who sees it."""

from __future__ import annotations

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.gossip_tracking.k_gt import KGT, KGTState
from proofs_check.evidence.gossip_tracking import closed_forms_local as forms
from proofs_check.evidence.gossip_tracking.faults_links import k_gt_uncorrected_step
from proofs_check.mutants.method_mutant import wrong_step

led_uncorrected = wrong_step(
    "LED whose correction is never applied", judge=forms.led_settles, of=forms.led
)(k_gt_uncorrected_step)


@wrong_step("LED that applies its dual whole", judge=forms.led_printed, of=forms.led)
def led_without_k(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """y in the place of y/K in every local step"""
    after = own.step(state, t, context)
    return after._replace(c=state.c + own.period * (after.c - state.c))


@wrong_step("LED that takes the last meeting's models", judge=forms.led_sum, of=forms.led)
def led_of_old_models(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """y += x - x+ in the place of phi - x+"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    length = own.period * own.step_rule(t)
    return after._replace(c=state.c + (state.x - after.x) / length)


@wrong_step("LED that sends its dual too", judge=forms.led_messages, of=forms.led)
def led_two_messages(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """the dual goes to the neighbours in a message of its own, unused"""
    if (t + 1) % own.period == 0:
        context.mixed(state.c, own.topology.neighbours(0), t, purpose="fault")
    return own.step(state, t, context)


@wrong_step("K-GT from the own gradient", judge=forms.started_sum, of=forms.from_gradients)
def started_alone(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """c = -own gradient at the start: no mean is asked"""
    if t:
        return own.step(state, t, context)
    g = context.problem.gradient(state.x, context.draws("first correction", 0))
    return own.step(state._replace(c=-g), t + own.period, context)


@wrong_step(
    "K-GT from gradients of the wrong sign", judge=forms.first_step_is_shared,
    of=forms.from_gradients,
)  # fmt: skip
def started_reversed(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """c = own gradient less the mean at the start"""
    if t:
        return own.step(state, t, context)
    g = context.problem.gradient(state.x, context.draws("first correction", 0))
    c = g - g.mean(-2, keepdim=True)
    y = state.x - own.step_rule(0) * (context.gradient(state.x, 0) + c)
    return KGTState(state.x, y, c) if own.period > 1 else KGTState(y, y, torch.zeros_like(c))

"""Faults planted in proximal and normalised local steps, and in Mime's correction."""

from __future__ import annotations

from dataclasses import replace

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.drift.fednova import FedNova, FedNovaState, accumulated_weight
from algorithms.methods.drift.fedprox import FedProx, FedProxState
from algorithms.methods.drift.mime import Mime, MimeState
from proofs_check.evidence.drift import closed_forms_mime as statistics
from proofs_check.evidence.drift import closed_forms_proximal as proximal
from proofs_check.evidence.drift.wrong_local_steps import (
    alias_of_anchor,
    momentum_unused,
    steps_of_another,
    uncorrected,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step

METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step(
        "FedProx whose anchor is an alias", judge=proximal.solved_locally, of=FedProx
    )(alias_of_anchor),
    wrong_step(
        "FedNova with another worker's steps", judge=proximal.fednova_by_hand, of=FedNova
    )(steps_of_another),
    fault(
        "FedNova that normalises nothing", "the mean of changes: FedAvg",
        proximal.fednova_by_hand, lambda *args: replace(FedNova(*args), normalised=False),
    ),
    wrong_step("Mime uncorrected", judge=statistics.mime_rounds, of=Mime)(uncorrected),
    wrong_step("Mime uncorrected, at its limit", judge=statistics.mime_is_exact, of=Mime)(
        uncorrected
    ),
    wrong_step("MimeLite without momentum", judge=statistics.mimelite_rounds,
               of=statistics.MimeLite)(momentum_unused),
)  # fmt: skip


@wrong_step("FedProx with the norm itself", judge=proximal.fedprox_by_hand, of=FedProx)
def norm_itself(own: FedProx, state: FedProxState, t: int, context: RunContext) -> FedProxState:
    """mu |y - x| for mu |y - x|^2 / 2: a pull of one length"""
    away = state.x - state.anchor
    length = away.norm(dim=-1, keepdim=True)
    unit = torch.where(length > 0, away / length, 0)
    bent = own.step_rule(t) * own.pull * (away - unit)
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after._replace(x=after.x + bent)
    anchor = after.anchor + bent.mean(-2, keepdim=True)
    return FedProxState(anchor.expand_as(state.x).contiguous(), anchor)


@wrong_step(
    "FedProx that renews its anchor at each step", judge=proximal.fedprox_by_hand, of=FedProx
)
def renewed_anchor(own: FedProx, state: FedProxState, t: int, context: RunContext) -> FedProxState:
    """the anchor is the worker's model of the step before, not the round's start"""
    after = own.step(state, t, context)
    return after._replace(anchor=state.x) if (t + 1) % own.period else after


@wrong_step("FedNova without tau_eff", judge=proximal.fednova_by_hand, of=FedNova)
def one_step_of_all(own: FedNova, state: FedNovaState, t: int, context: RunContext) -> FedNovaState:
    """x -= the mean of normalised changes, without the factor tau_eff"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    effective = own.weights()[0] * accumulated_weight(own.local_steps[0], own.momentum)
    anchor = state.anchor + (after.anchor - state.anchor) / effective
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


@wrong_step(
    "FedNova that divides by steps under momentum", judge=proximal.fednova_by_hand, of=FedNova
)
def plain_steps(own: FedNova, state: FedNovaState, t: int, context: RunContext) -> FedNovaState:
    """tau_i for |a_i|_1, whatever the momentum"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    wrong = torch.tensor(replace(own, momentum=0.0).weights(), dtype=state.x.dtype)[:, None]
    changes = state.anchor - own.alone(state, t, context).x
    anchor = state.anchor - (wrong * changes).mean(-2, keepdim=True)
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


@wrong_step("Mime whose old gradient is of another batch", judge=statistics.noise_cancels, of=Mime)
def other_batch(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """g_i(x) is drawn anew: the noise of two batches adds up"""
    after = own.step(state, t, context)
    again = context.problem.gradient(state.x, context.draws("another batch", t))
    once = context.problem.gradient(state.x, context.draws("gradient", t))
    noise = own.step_rule(t) * (1 - own.beta) * (again - once)
    return after._replace(x=after.x + noise)


@wrong_step("Mime that renews momentum within the round", judge=statistics.mime_rounds, of=Mime)
def renewed_momentum(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """m takes in the mean gradient at every local step"""
    after = own.step(state, t, context)
    if (t + 1) % own.period == 0:
        return after
    mean = after.mean_gradient
    return after._replace(momentum=(1 - own.beta) * mean + own.beta * after.momentum)

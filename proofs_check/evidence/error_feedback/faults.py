"""Faults planted in EF21 and its variants, and in EControl."""

from __future__ import annotations

from typing import Any

import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import RunContext
from algorithms.methods.error_feedback.econtrol import EControl, EControlState
from algorithms.methods.error_feedback.ef21 import EF21, EF21State
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.evidence.error_feedback import closed_forms_variants as forms
from proofs_check.evidence.error_feedback.closed_forms import (
    exact_minimum,
    mean_of_memories,
    quarter,
    shrinking_error,
    top_one,
)
from proofs_check.evidence.error_feedback.closed_forms_momentum import (
    error_feedback,
    floors,
    is_fixed_point,
    momentum,
    nothing_is_lost,
    recursion,
    symmetric_floors,
    without_control,
)
from proofs_check.methods.faulty.faulty_method import OneWrongStep, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import Stepsize


@wrong_step("EF21 that compresses gradients", judge=exact_minimum, of=top_one)
def gradients_themselves(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """workers send C(grad f_i), not C of its difference to g_i"""
    zeros = torch.zeros_like(state.memory)
    return own.step(state._replace(memory=zeros, mean=torch.zeros_like(state.x)), t, context)


@wrong_step("EF21 that believes it sent all", judge=mean_of_memories, of=quarter)
def uncompressed_memory(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """g_i moves by the whole difference, of which C alone was sent"""
    new = own.step(state, t, context)
    return new._replace(memory=new.momentum)


@wrong_step("EF21 whose memory is the gradient's buffer", judge=mean_of_memories, of=quarter)
def zeroed_buffer(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """g_i is an alias of the gradient, which is set to zero before the second round"""
    new = own.step(state, t, context)
    return new._replace(memory=torch.zeros_like(new.memory)) if t == 0 else new


@wrong_step("EF21 whose server starts elsewhere", judge=mean_of_memories, of=quarter)
def started_elsewhere(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """the server starts at 0 where the workers start at what they sent first"""
    new = own.step(state, t, context)
    return new if t else new._replace(mean=torch.zeros_like(new.mean))


def _of_the_mean(problem: Quadratic) -> float:
    """L^2 of f, for L_rms^2."""
    return float(problem.a.mean(0).max()) ** 2


# Faults planted in EControl: what is added to differences, and what is kept.


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


# Faults planted in EF21 with momentum: where and how gradients are averaged.


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


# Faults planted in EF21 compressed in both directions and under partial participation.


def nothing_told(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """The server compresses its estimate, not what it has not told of it."""
    return own.step(state._replace(told=torch.zeros_like(state.told)), t, context)


def nothing_kept(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """Workers compress their gradients, not what they have not sent of them."""
    forgotten = state._replace(
        memory=torch.zeros_like(state.memory), mean=torch.zeros_like(state.mean)
    )
    return own.step(forgotten, t, context)


def forgotten_absent(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """Workers that were absent start again from g_i = 0."""
    new = own.step(state, t, context)
    here = own.present(t, context)
    if here is None:
        return new
    memory = torch.where(here[..., None], new.memory, 0.0)
    return new._replace(memory=memory, mean=context.network.mean_over_workers(memory)[..., None, :])


def first_for_mean(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """The server tells what the first worker holds, not the mean."""
    first = state.memory[..., :1, :]
    return own.step(state._replace(told=state.told - first), t, context)


def all_workers_constant(step: Stepsize, _probability: float) -> EF21:
    """EF21 in which all take part, and whose constants say so."""
    return EF21(step, TopK(1))


def _spoilt(step: Any) -> Any:
    return lambda right: OneWrongStep(right, step)


@wrong_step("EF21-BC whose workers step along the mean", judge=forms.recursion, of=forms.both_ways)
def untold_estimate(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """the model goes along g, which no worker was told"""
    new = own.step(state, t, context)
    return new._replace(x=state.x - own.step_rule(t) * new.mean)


@wrong_step("EF21-PP that draws once", judge=forms.absent_workers, of=forms.at_random)
def same_workers(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """the workers of the second round take part in every one"""
    return own.step(state, min(t, 1), context)


@wrong_step(
    "EF21-PP whose absent workers go on", judge=forms.absent_momentum, of=forms.sampled_momentum
)
def moving_absent(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """v_i of a worker that takes no part takes in a gradient too"""
    new = own.step(state, t, context)
    if t == 0:
        return new
    g = own.gradients.compute(state.x, t, context)
    return new._replace(momentum=(1 - own.eta) * state.momentum + own.eta * g)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "EF21 with an unbiased operator", "rand-1 scaled up, not divided by 1 + omega",
        exact_minimum, lambda step: EF21(step, RandK(1)),
    ),
    MethodMutant(
        "EF21 with the smoothness of f", "L of f in the place of L_rms",
        lambda: shrinking_error(smooth=_of_the_mean), shrinking_error,
    ),
    fault("EF21-SGDM with eta = 1", "no momentum whatever eta", floors, _always_new),
    fault(
        "EF21-SGD that keeps no memory",
        "top-1 of the stochastic gradients themselves",
        symmetric_floors,
        _without_memory,
    ),
    fault(
        "EF21-BC that compresses the estimate", "b is not remembered: D(g) is told",
        forms.recursion, wrapped(_spoilt(nothing_told), forms.both_ways),
    ),
    fault(
        "EF21-PP that forgets the absent", "g_i of absent workers is set to 0",
        forms.minimum_by_lot, wrapped(_spoilt(forgotten_absent), forms.at_random),
    ),
    fault(
        "EF21-PP that forgets the absent, at rest", "g_i of absent workers is set to 0",
        forms.absent_rest, wrapped(_spoilt(forgotten_absent), forms.at_random),
    ),
    fault(
        "EF21-BC that tells one worker's, at rest", "b follows g_1 in the place of the mean",
        forms.both_ways_rest, wrapped(_spoilt(first_for_mean), forms.both_ways),
    ),
    fault(
        "EF21-PP with all workers' constant", "delta in the place of p delta",
        forms.free_parameters, all_workers_constant,
    ),
)  # fmt: skip

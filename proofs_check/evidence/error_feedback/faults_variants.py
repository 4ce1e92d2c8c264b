"""Faults planted in EF21 compressed in both directions and under partial participation."""

from __future__ import annotations

from typing import Any

import torch

from algorithms.compressors.top_k import TopK
from algorithms.methods.base import RunContext
from algorithms.methods.error_feedback.ef21 import EF21, EF21State
from proofs_check.evidence.error_feedback import closed_forms_variants as forms
from proofs_check.methods.faulty.faulty_method import OneWrongStep, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import Stepsize


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

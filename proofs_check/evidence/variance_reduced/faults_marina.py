"""Faults planted in MARINA."""

from __future__ import annotations

import torch

from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.methods.parts.gradients import Sampled
from algorithms.methods.variance_reduced.marina import Marina, MarinaState
from proofs_check.evidence.variance_reduced.closed_forms_marina import same_sample, second_moment
from proofs_check.mutants.method_mutant import wrong_step
from theory.stepsizes import Stepsize


def _of_samples(step: Stepsize) -> Marina:
    return Marina(step, Identity(), 1e-9, Sampled())


@wrong_step("MARINA with a coin for each worker", judge=second_moment, of=Marina)
def own_coins(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """every worker tosses for itself whether it sends its full gradient"""
    g = own.gradients.compute(state.x, t, context)
    old = own.gradients.compute(state.before, t, context)
    tossed = context.draws("coin", t).uniform(1, torch.float64)[..., 0]
    heads = tossed < own.probability(context.problem.d, context.network.n)
    full, _ = context.network.average(context.pack(Identity(), g, t, sends=heads, purpose="full"))
    packet = context.pack(own.compressor.at_step(t), g - old, t, sends=~heads)
    mean, _ = context.network.average(packet)
    here = heads.to(g.dtype).mean(-1)[..., None, None]
    estimate = full + (1 - here) * state.estimate + mean
    x = context.published(state.x - own.step_rule(t) * estimate, t)
    return MarinaState(x, state.x, estimate)


@wrong_step("MARINA with a stale model", judge=second_moment, of=Marina)
def stale_model(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """differences are taken to the gradient at a model older than the last one"""
    older = state.before + (state.before - state.x)
    return own.step(state._replace(before=older), t, context)


@wrong_step("MARINA of two samples", judge=same_sample, of=_of_samples)
def two_samples(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """the gradient at the model before is of another sample than the one now"""
    new = own.step(state, t, context)
    if t == 0:
        return new
    other = own.gradients.compute(state.before, t + 10**6, context)
    same = own.gradients.compute(state.before, t, context)
    shift = (other - same).mean(-2, keepdim=True)
    estimate = new.estimate - shift
    return replace_estimate(own, new, estimate, t)


def replace_estimate(own: Marina, new: MarinaState, estimate: torch.Tensor, t: int) -> MarinaState:
    """The state had the step gone along another estimate."""
    return new._replace(x=new.before - own.step_rule(t) * estimate, estimate=estimate)

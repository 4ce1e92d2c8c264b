"""Faults planted in MARINA of few workers and of samples, in DASHA-MVR and DASHA-PAGE."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.methods.parts.gradients import Full
from algorithms.methods.variance_reduced.dasha import Dasha, DashaState
from algorithms.methods.variance_reduced.marina import Marina, MarinaState
from proofs_check.evidence.variance_reduced import closed_forms_variants as forms
from proofs_check.evidence.variance_reduced.faults_marina import replace_estimate
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step


@wrong_step("MARINA of few divided by all", judge=forms.few_second_moment, of=Marina)
def divided_by_all(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """the sum of r differences over n in the place of r"""
    new = own.step(state, t, context)
    heads = own.full_round(t, context)[..., None]
    share = (own.participants or context.network.n) / context.network.n
    short = state.estimate + share * (new.estimate - state.estimate)
    return replace_estimate(own, new, short.where(~heads, new.estimate), t)


@wrong_step("MARINA of few that all answer", judge=forms.few_messages, of=Marina)
def all_answer(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """every worker sends in every round"""
    return replace(own, participants=None).step(state, t, context)


@wrong_step("MARINA of the same few", judge=forms.few_second_moment, of=Marina)
def same_few(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """workers 0 and 1 in every compressed round"""
    g = own.gradients.compute(state.x, t, context)
    old = own.gradients.compute(state.before, t, context)
    whole = own.full_round(t, context)
    first = (context.network.workers < (own.participants or 1)).expand(g.shape[:-1])
    packet = context.pack(own.compressor.at_step(t), g - old, t, sends=first & ~whole)
    mean, _ = context.network.average(packet)
    share = context.network.n / (own.participants or 1)
    full, _ = context.network.average(
        context.pack(Identity(), g, t, sends=whole.expand(g.shape[:-1]), purpose="full")
    )
    estimate = full.where(whole[..., None], state.estimate + share * mean)
    x = context.published(state.x - own.step_rule(t) * estimate, t)
    return MarinaState(x, state.x, estimate)


@wrong_step("MARINA whose full rounds are of samples", judge=forms.is_page, of=Marina)
def sampled_heads(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """a full round sends the gradient of a sample"""
    source = own.differences or own.gradients
    return replace(own, gradients=source, differences=None).step(state, t, context)


def _another(own: Dasha, x: Tensor, t: int, context: RunContext) -> Tensor:
    return own.gradients.compute(x, t + 10**6, context)


@wrong_step("MARINA of two samples a difference", judge=forms.is_page, of=Marina)
def two_samples(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """the gradient at the model before is of another sample than the one now"""
    new, source = own.step(state, t, context), own.differences or own.gradients
    other = source.compute(state.before, t + 10**6, context)
    shift = (other - source.compute(state.before, t, context)).mean(-2, keepdim=True)
    heads = own.full_round(t, context)[..., None]
    return replace_estimate(own, new, new.estimate.where(heads, new.estimate - shift), t)


def _estimate_replaced(new: DashaState, h: Tensor) -> DashaState:
    return new._replace(gradients=h)


@wrong_step("DASHA-MVR of two samples", judge=forms.error_of_estimates, of=Dasha)
def mvr_two_samples(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """the old gradient is taken on another sample"""
    new = own.step(state, t, context)
    if t == 0:
        return new
    same = own.gradients.compute(state.before, t, context)
    other = _another(own, state.before, t, context)
    return _estimate_replaced(new, new.gradients + (1 - own.momentum) * (same - other))


@wrong_step("DASHA-MVR that averages only", judge=forms.error_of_estimates, of=Dasha)
def plain_momentum(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """h = (1 - b) h + b g: no old gradient is taken anew, and the mean lags behind"""
    new = own.step(state, t, context)
    if t == 0:
        return new
    old = own.gradients.compute(state.before, t, context)
    g = own.gradients.compute(state.x, t, context)
    return _estimate_replaced(new, new.gradients + (1 - own.momentum) * (old - g))


@wrong_step("DASHA-MVR whose server forgets", judge=forms.mvr_server, of=Dasha)
def mvr_forgetful(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """the server takes the mean of the messages for the estimate"""
    new = own.step(state, t, context)
    return new._replace(mean=new.mean - state.mean)


@wrong_step("DASHA-PAGE that sends what it refreshes", judge=forms.page_messages, of=Dasha)
def refreshed_in_full(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """an exact gradient goes to the server uncompressed"""
    coins = context.draws("refresh", t).uniform(1, torch.float64)[..., 0]
    full = context.pack(Identity(), state.gradients, t, sends=coins < own.refresh, purpose="full")
    context.network.average(full)
    return own.step(state, t, context)


@wrong_step("DASHA-PAGE of one coin", judge=forms.page_outcomes, of=Dasha)
def one_coin(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """worker 0's coin is for all"""
    new = own.step(state, t, context)
    exact = Full().compute(state.x, t, context)
    sampled = replace(own, refresh=0.0).estimated(state, t, context)
    heads = (new.gradients[..., :1, :] == exact[..., :1, :]).all(-1, keepdim=True)
    return _estimate_replaced(new, exact.where(heads, sampled))


@wrong_step("DASHA-PAGE of two samples", judge=forms.page_outcomes, of=Dasha)
def page_two_samples(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """the difference is of two samples"""
    new = own.step(state, t, context)
    exact = Full().compute(state.x, t, context)
    same = own.gradients.compute(state.before, t, context)
    h = new.gradients + same - _another(own, state.before, t, context)
    return _estimate_replaced(new, new.gradients.where(new.gradients == exact, h))


def of_twice_the_coin(*args: Any, **named: Any) -> Marina:
    """MARINA whose full rounds come twice as often."""
    right = Marina(*args, **named)
    return replace(right, refresh=2 * (right.refresh or 0.25))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "MARINA of few with twice the coin", "2 p in the place of p", forms.few_second_moment,
        of_twice_the_coin,
    ),
    fault(
        "DASHA-PAGE that refreshes twice as often", "2 p in the place of p", forms.page_outcomes,
        lambda *args, **named: Dasha(*args, **{**named, "refresh": 2 * named["refresh"]}),
    ),
    fault(
        "DASHA-PAGE that never refreshes", "p = 0 whatever is asked for", forms.page_outcomes,
        lambda *args, **named: Dasha(*args, **{**named, "refresh": 0.0}),
    ),
)  # fmt: skip

"""Faults planted in shifted, lazy, refined and block methods, in variants of MARINA and DASHA."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.blocks import BlockSampling
from algorithms.compressors.identity import Identity
from algorithms.compressors.rand_k import RandK
from algorithms.core.key import Draws
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.gradients import Full
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.dasha import Dasha, DashaState
from algorithms.methods.variance_reduced.diana import Diana, DianaState
from algorithms.methods.variance_reduced.laq import LAQ, LAQState
from algorithms.methods.variance_reduced.marina import Marina, MarinaState
from algorithms.methods.variance_reduced.refined import RefinedQuantisation, RefinedState
from proofs_check.evidence.variance_reduced import closed_forms_variants as forms
from proofs_check.evidence.variance_reduced.closed_forms import (
    Make,
    diana_lyapunov,
    diana_recursion,
    one_step,
    reaches,
    server_shift,
    with_shifts,
)
from proofs_check.evidence.variance_reduced.marina import replace_estimate
from proofs_check.mutants.method_mutant import FaultyCompressor, MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize

# Shifted, lazy, refined and block methods.


@final
@dataclass(frozen=True)
class SharedBlocks(FaultyCompressor):
    """All workers take the blocks of the first, and claim that they draw their own."""

    right: BlockSampling

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, FirstOf(draws))

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.right.decode(symbols, d, dtype, FirstOf(draws))


@final
class FirstOf(Draws):
    """Every row draws what the first row draws."""

    def __init__(self, draws: Draws) -> None:
        self.draws, self.workers = draws, draws.workers

    def _first(self, drawn: Tensor) -> Tensor:
        return drawn[..., :1, :].expand(drawn.shape)

    def fold(self, *words: int | str) -> Draws:
        return FirstOf(self.draws.fold(*words))

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        return self._first(self.draws.uniform(count, dtype))

    def normal(self, count: int, dtype: torch.dtype) -> Tensor:
        return self._first(self.draws.normal(count, dtype))

    def integers(self, high: int, count: int) -> Tensor:
        return self._first(self.draws.integers(high, count))


def _greedy(step: Stepsize) -> Method[Any]:
    return Diana(step, RandK(5), alpha=1.0)


def _refined(step: Stepsize) -> RefinedQuantisation:
    return RefinedQuantisation(step, 4, 4.0, 0.985, epoch=20)


def _shared(step: Stepsize) -> Method[Any]:
    return BSP(step, SharedBlocks(BlockSampling(16, 4)))


def _laq(make: Make = LAQ) -> Verdict:
    return reaches("laq", make, 0.5, 1500, "the method")


def _semi_stochastic(make: Make = _refined) -> Verdict:
    return reaches("adaptive-quantisation", make, 0.9, 2500, "the method")


@wrong_step("DIANA with a slow server shift", judge=server_shift, of=with_shifts)
def slow_server_shift(own: Diana, state: DianaState, t: int, context: RunContext) -> DianaState:
    """the server's h moves by 0.98 alpha"""
    new = own.step(state, t, context)
    return new._replace(shift=state.shift + 0.98 * (new.shift - state.shift))


@wrong_step("DIANA with a stale server shift", judge=diana_lyapunov, of=with_shifts)
def stale_server_shift(own: Diana, state: DianaState, t: int, context: RunContext) -> DianaState:
    """the server's h stays where it was"""
    return own.step(state, t, context)._replace(shift=state.shift)


@wrong_step("LAQ that forgets the silent", judge=_laq, of=LAQ)
def forgetful_l_a_q(own: LAQ, state: LAQState, t: int, context: RunContext) -> LAQState:
    """a silent worker counts as zero from then on"""
    new = own.step(state, t, context)
    spoken = (new.silent == 0)[..., None]
    return new._replace(sent=new.sent * spoken)


@wrong_step("semi-stochastic gradients without the full one", judge=_semi_stochastic, of=_refined)
def anchorless_refinement(
    own: RefinedQuantisation, state: RefinedState, t: int, context: RunContext
) -> RefinedState:
    """g_i(x) - g_i(y), nothing added"""
    full = context.problem.full_gradient(state.x, context.network.workers)
    fresh = state._replace(anchor=state.x, full=torch.zeros_like(full))
    here = fresh if t % own.epoch == 0 else state
    return replace(own, epoch=10**9).step(here, max(t, 1), context)


# Faults planted in MARINA of few workers and of samples, in DASHA-MVR and DASHA-PAGE.


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
        "DIANA with alpha = 1", "shifts take the whole message where omega = 3 allows a quarter",
        diana_recursion, _greedy,
    ),
    MethodMutant(
        "IBCD with one draw for all", "the workers' blocks are equal, not independent",
        lambda: one_step(1.0, build=_shared), lambda: one_step(1.0),
    ),
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

"""Faults planted in shifted, lazy, refined and block methods."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.blocks import BlockSampling
from algorithms.compressors.rand_k import RandK
from algorithms.core.key import Draws
from algorithms.methods.base import Method, RunContext
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.diana import Diana, DianaState
from algorithms.methods.variance_reduced.laq import LAQ, LAQState
from algorithms.methods.variance_reduced.refined import RefinedQuantisation, RefinedState
from proofs_check.evidence.variance_reduced.closed_forms import (
    Make,
    diana_lyapunov,
    diana_recursion,
    one_step,
    reaches,
    server_shift,
    with_shifts,
)
from proofs_check.mutants.method_mutant import FaultyCompressor, MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize


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


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "DIANA with alpha = 1", "shifts take the whole message where omega = 3 allows a quarter",
        diana_recursion, _greedy,
    ),
    MethodMutant(
        "IBCD with one draw for all", "the workers' blocks are equal, not independent",
        lambda: one_step(1.0, build=_shared), lambda: one_step(1.0),
    ),
)  # fmt: skip

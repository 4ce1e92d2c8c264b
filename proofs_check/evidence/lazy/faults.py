"""Faults planted in lazy methods, in the relevance filter and in the loss of packets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.packet_loss import PacketLoss
from algorithms.core.key import Draws
from algorithms.methods.base import Method, RunContext
from algorithms.methods.lazy.cmfl import CMFL, CMFLState
from algorithms.methods.lazy.lag import LAG, LAGState
from algorithms.synchronisation.lazy import ServerRule, Trigger, View, WorkerRule, square
from proofs_check.compressors.check import MONTE_CARLO
from proofs_check.evidence.lazy.closed_forms import (
    Make,
    mean_of_the_last,
    problem,
    relevant_senders,
    server_rule,
    silence,
    speaks_by_rule,
)
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.mutants.method_mutant import (
    FaultyCompressor,
    MethodMutant,
    OperatorMutant,
    fault,
    wrong_encoding,
    wrong_step,
)
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize


@final
@dataclass(frozen=True)
class Backwards(Trigger):
    """The worker rule with the wrong sign: speaks where little changed."""

    def asks(self, view: View) -> Tensor:
        return WorkerRule().asks(view)

    def sends(self, change: Tensor, allowed: Tensor) -> Tensor:
        return square(change) <= allowed


@final
@dataclass(frozen=True)
class UnscaledTrigger(Trigger):
    """The worker rule whose allowance lacks 1/gamma^2."""

    gamma: float

    def asks(self, view: View) -> Tensor:
        return WorkerRule().asks(view)

    def sends(self, change: Tensor, allowed: Tensor) -> Tensor:
        return square(change) > allowed * self.gamma**2


@final
@dataclass(frozen=True)
class Forgetful(FaultyMethod):
    """The server steps along what arrived at this step alone."""

    right: LAG

    def step(self, state: LAGState, t: int, context: RunContext) -> LAGState:
        new = self.right.step(state, t, context)
        spoke = (new.stored != state.stored).any(-1, keepdim=True)
        mean = (new.stored * spoke).mean(-2, keepdim=True)
        return new._replace(x=state.x - self.right.step_rule(t) * mean)


@final
@dataclass(frozen=True)
class ByCoin(FaultyCompressor):
    """Each packet is lost with probability p by itself: often more than the share allowed."""

    right: PacketLoss

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        coins = draws.uniform(self.right.packets(d), torch.float64) >= self.right.p
        arrived = coins.repeat_interleave(self.right.size, -1)[..., :d]
        return torch.where(arrived, symbols[0], 0)


def _unscaled(step: Stepsize) -> Method[Any]:
    return LAG(step, UnscaledTrigger(step(0)))


def _by_the_sum(step: Stepsize) -> Method[Any]:
    return LAG(step, weights=(0.1 * problem().n ** 2,) * 10)


def _root(step: Stepsize) -> Method[Any]:
    return LAG(step, ServerRule(tuple(value**0.5 for value in problem().smoothness)))


def _filter(step: Stepsize) -> CMFL:
    return CMFL(step, 1, 0.7, decays=False)


def _relevant(make: Make = _filter) -> Verdict:
    return relevant_senders(make, decays=False)


def _by_server(make: Make = server_rule) -> Verdict:
    return speaks_by_rule(make, server=True)


@wrong_step("LAG never replacing stored gradients", judge=mean_of_the_last, of=LAG)
def never_replaced(own: LAG, state: LAGState, t: int, context: RunContext) -> LAGState:
    """workers compare with the first they sent"""
    new = own.step(state, t, context)
    return new if t == 0 else new._replace(stored=state.stored)


@wrong_step("LAG averaging over the senders", judge=mean_of_the_last, of=LAG)
def senders_only(own: LAG, state: LAGState, t: int, context: RunContext) -> LAGState:
    """changes divided by how many sent, not by n"""
    new = own.step(state, t, context)
    spoke = (new.stored != state.stored).any(-1).sum(-1).clamp_min(1)[..., None, None]
    mean = state.mean + (new.mean - state.mean) * (context.network.n / spoke)
    return new._replace(mean=mean, x=state.x - own.step_rule(t) * mean)


@wrong_step("LAG-PS taking all as informed", judge=_by_server, of=server_rule)
def all_heard(own: LAG, state: LAGState, t: int, context: RunContext) -> LAGState:
    """the model of a worker's stored gradient is forgotten"""
    new = own.step(state, t, context)
    return new._replace(incoming=state.x.expand_as(new.incoming))


@wrong_step("CMFL against the grain", judge=_relevant, of=_filter)
def against_the_grain(own: CMFL, state: CMFLState, t: int, context: RunContext) -> CMFLState:
    """opposite signs are relevant"""
    return own.step(state._replace(update=-state.update), t, context)


@wrong_step("CMFL by magnitude", judge=_relevant, of=_filter)
def by_magnitude(own: CMFL, state: CMFLState, t: int, context: RunContext) -> CMFLState:
    """relevance counts |u_j| >= |last_j|"""
    u = -own.step_rule(t) * context.gradient(state.x, t)
    wrapped = torch.where(u.abs() >= state.update.abs(), u, -u)
    new = own.step(state._replace(update=wrapped), t, context)
    moved = (new.common != state.common).any(-1, keepdim=True)
    return new._replace(update=torch.where(moved, new.common - state.common, state.update))


@wrong_step("CMFL dividing by all", judge=_relevant, of=_filter)
def divides_by_all(own: CMFL, state: CMFLState, t: int, context: RunContext) -> CMFLState:
    """what arrived is divided by n"""
    u = -own.step_rule(t) * context.gradient(state.x, t)
    share = own.sends(u, state.update, t + 1).double().mean(-1)[..., None, None]
    new = own.step(state, t, context)
    update = (new.common - state.common) * share
    common = state.common + update
    return CMFLState(common.expand_as(new.x).contiguous(), common, update)


@wrong_step("CMFL keeping its first update", judge=_relevant, of=_filter)
def first_update_kept(own: CMFL, state: CMFLState, t: int, context: RunContext) -> CMFLState:
    """relevance is measured by the first round for ever"""
    new = own.step(state, t, context)
    return new if t == 0 else new._replace(update=state.update)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "LAG speaking backwards", "workers send where little changed",
        speaks_by_rule, lambda step: LAG(step, Backwards()),
    ),
    fault(
        "LAG without 1/alpha^2", "the allowance is the sum of squared moves alone",
        silence, _unscaled,
    ),
    fault(
        "LAG of means with the sum's stepsize", "1/alpha^2 where 1/(alpha n)^2 is meant",
        speaks_by_rule, _by_the_sum,
    ),
    fault(
        "LAG forgetting the silent", "a silent worker counts as zero",
        mean_of_the_last, wrapped(Forgetful, LAG),
    ),
    fault("LAG-PS without the square of L_i", "L_i ||x_i - x||^2 in Eq. 15b", _by_server, _root),
)  # fmt: skip


@wrong_encoding(
    "packet loss scaled by 1/(1-p)", PacketLoss(0.3, 10, scaled=True), check=MONTE_CARLO
)
def scaled_by_p(own: PacketLoss, x: Tensor, draws: Draws) -> Symbols:
    """floor(pP) packets get lost, not pP"""
    return (x / (1 - own.p),)


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "packets lost by coin", ByCoin(PacketLoss(0.3, 10)), "more than floor(pP) may get lost",
        MONTE_CARLO,
    ),
)  # fmt: skip

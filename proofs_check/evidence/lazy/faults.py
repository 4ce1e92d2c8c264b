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
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.mutants.operator_mutant import FaultyCompressor, OperatorMutant
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
class NeverReplaced(FaultyMethod):
    """Workers go on comparing with the first gradient they ever sent."""

    right: LAG

    def step(self, state: LAGState, t: int, context: RunContext) -> LAGState:
        new = self.right.step(state, t, context)
        return new if t == 0 else new._replace(stored=state.stored)


@final
@dataclass(frozen=True)
class SendersOnly(FaultyMethod):
    """The server divides what arrived by the number of senders."""

    right: LAG

    def step(self, state: LAGState, t: int, context: RunContext) -> LAGState:
        new = self.right.step(state, t, context)
        spoke = (new.stored != state.stored).any(-1).sum(-1).clamp_min(1)[..., None, None]
        mean = state.mean + (new.mean - state.mean) * (context.network.n / spoke)
        return new._replace(mean=mean, x=state.x - self.right.step_rule(t) * mean)


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
class AllHeard(FaultyMethod):
    """The server takes it that all have heard the newest model, whomever it asked."""

    right: LAG

    def step(self, state: LAGState, t: int, context: RunContext) -> LAGState:
        new = self.right.step(state, t, context)
        return new._replace(heard=state.x.expand_as(new.heard))


@final
@dataclass(frozen=True)
class AgainstTheGrain(FaultyMethod):
    """CMFL that counts opposite signs as relevant."""

    right: CMFL

    def step(self, state: CMFLState, t: int, context: RunContext) -> CMFLState:
        return self.right.step(state._replace(update=-state.update), t, context)


@final
@dataclass(frozen=True)
class ByMagnitude(FaultyMethod):
    """CMFL that counts coordinates as large as the common update's, not of its sign."""

    right: CMFL

    def step(self, state: CMFLState, t: int, context: RunContext) -> CMFLState:
        u = -self.right.step_rule(t) * context.gradient(state.x, t)
        wrapped = torch.where(u.abs() >= state.update.abs(), u, -u)
        new = self.right.step(state._replace(update=wrapped), t, context)
        moved = (new.common != state.common).any(-1, keepdim=True)
        return new._replace(update=torch.where(moved, new.common - state.common, state.update))


@final
@dataclass(frozen=True)
class DividesByAll(FaultyMethod):
    """CMFL whose server divides what arrived by n."""

    right: CMFL

    def step(self, state: CMFLState, t: int, context: RunContext) -> CMFLState:
        u = -self.right.step_rule(t) * context.gradient(state.x, t)
        share = self.right.sends(u, state.update, t + 1).double().mean(-1)[..., None, None]
        new = self.right.step(state, t, context)
        update = (new.common - state.common) * share
        common = state.common + update
        return CMFLState(common.expand_as(new.x).contiguous(), common, update)


@final
@dataclass(frozen=True)
class FirstUpdateKept(FaultyMethod):
    """CMFL that measures relevance by the first common update for ever."""

    right: CMFL

    def step(self, state: CMFLState, t: int, context: RunContext) -> CMFLState:
        new = self.right.step(state, t, context)
        return new if t == 0 else new._replace(update=state.update)


@final
@dataclass(frozen=True)
class ScaledByP(FaultyCompressor):
    """Packet loss rescaled by 1/(1 - p), though floor(pP) packets get lost, not pP."""

    right: PacketLoss

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return (x / (1 - self.right.p),)


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
        "LAG never replacing stored gradients", "workers compare with the first they sent",
        mean_of_the_last, wrapped(NeverReplaced, LAG),
    ),
    fault(
        "LAG averaging over the senders", "changes divided by how many sent, not by n",
        mean_of_the_last, wrapped(SendersOnly, LAG),
    ),
    fault(
        "LAG forgetting the silent", "a silent worker counts as zero",
        mean_of_the_last, wrapped(Forgetful, LAG),
    ),
    fault("LAG-PS without the square of L_i", "L_i ||x_i - x||^2 in Eq. 15b", _by_server, _root),
    fault(
        "LAG-PS taking all as informed", "the model of a worker's stored gradient is forgotten",
        _by_server, wrapped(AllHeard, server_rule),
    ),
    fault(
        "CMFL against the grain", "opposite signs are relevant",
        _relevant, wrapped(AgainstTheGrain, _filter),
    ),
    fault(
        "CMFL by magnitude", "relevance counts |u_j| >= |last_j|",
        _relevant, wrapped(ByMagnitude, _filter),
    ),
    fault(
        "CMFL dividing by all", "what arrived is divided by n",
        _relevant, wrapped(DividesByAll, _filter),
    ),
    fault(
        "CMFL keeping its first update", "relevance is measured by the first round for ever",
        _relevant, wrapped(FirstUpdateKept, _filter),
    ),
)  # fmt: skip

MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "packet loss scaled by 1/(1-p)", ScaledByP(PacketLoss(0.3, 10, scaled=True)),
        "floor(pP) packets get lost, not pP", MONTE_CARLO,
    ),
    OperatorMutant(
        "packets lost by coin", ByCoin(PacketLoss(0.3, 10)), "more than floor(pP) may get lost",
        MONTE_CARLO,
    ),
)  # fmt: skip

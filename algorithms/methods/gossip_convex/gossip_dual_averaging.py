"""Gossip dual averaging, for sums over workers and for functions of pairs of their data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.row_parts import published
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.gossip import gossip
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import MeetingLinks
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    Register,
    add,
    changed,
    gradient,
    mixed,
    plus_scaled,
)
from algorithms.problems.base import Problem
from algorithms.problems.pairwise import PairwiseLogistic
from algorithms.sets.geometry import Euclidean, Geometry
from algorithms.topologies.random_mixing import RandomEdge
from theory.constants import Constants
from theory.stepsizes import Stepsize


class SampleExchange(ABC):
    """The data that workers pass on to each other, and what they compute with what is theirs."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @property
    @abstractmethod
    def numbers(self) -> int:
        """Number k of values in a worker's guest samples."""

    @abstractmethod
    def first(self, x: Tensor, context: RunContext) -> Tensor:
        """Values that each row held here carries at the start, ``[..., m, k]``; k = 0 if none."""

    @abstractmethod
    def gradient(self, x: Tensor, guests: Tensor, t: int, context: RunContext) -> Tensor:
        """Gradients ``[..., m, d]`` at x ``[..., m, d]`` with ``guests`` ``[..., m, k]``.

        Raises:
            NonFiniteGradient: names the step, replica and worker.
        """


@final
@dataclass(frozen=True)
class NoSamples(SampleExchange):
    """f is a mean of the workers' functions: nothing but sums of gradients travels."""

    @property
    def name(self) -> str:
        return "separable"

    @property
    def numbers(self) -> int:
        return 0

    def first(self, x: Tensor, context: RunContext) -> Tensor:
        return x[..., :0].clone()

    def gradient(self, x: Tensor, guests: Tensor, t: int, context: RunContext) -> Tensor:
        return context.gradient(x, t)


@final
@dataclass(frozen=True)
class TravellingSamples(SampleExchange):
    """Each worker's samples and labels travel; a gradient is over pairs of own and visiting ones.

    As time goes on a worker has been visited by all equally often, which makes the bias of its
    gradients vanish: a term of its own in Colin et al. 2016, shown to fade as the graph mixes in
    Colin, Bellet, Clemencon, Salmon 2026 (arXiv:2603.24128).

    Attributes:
        problem: the pairwise problem that the samples are from.
    """

    problem: PairwiseLogistic

    @property
    def name(self) -> str:
        return "pairwise"

    @property
    def numbers(self) -> int:
        return self.problem.features.shape[1] * (self.problem.d + 1)

    def first(self, x: Tensor, context: RunContext) -> Tensor:
        problem, workers = self.problem, context.network.workers
        labels = problem.labels[workers].to(x.dtype)
        rows = torch.cat((problem.features[workers], labels[..., None]), -1).flatten(-2)
        return rows.expand(*x.shape[:-1], -1).clone()

    def gradient(self, x: Tensor, guests: Tensor, t: int, context: RunContext) -> Tensor:
        problem, workers = self.problem, context.network.workers
        visiting = guests.reshape(*guests.shape[:-1], -1, problem.d + 1)
        own, labels = problem.features[workers], problem.labels[workers]
        g = problem.between(x, own, labels, visiting[..., :-1], visiting[..., -1])
        return context.checked(g, t)


def sample_exchange_of(problem: Problem) -> SampleExchange:
    """Samples travel where f is of pairs of them; elsewhere nothing does."""
    if isinstance(problem, PairwiseLogistic):
        return TravellingSamples(problem)
    return NoSamples()


class GossipDualState(NamedTuple):
    """Models x, sums of gradients z, the start ``[..., m, d]``; guests ``[..., m, k]``."""

    x: Tensor
    z: Tensor
    start: Tensor
    guests: Tensor


@final
@dataclass(frozen=True)
class GossipDualAveraging(Method[GossipDualState]):
    r"""One random pair takes the mean of its sums z and swaps its guests; then every worker adds
    a gradient, z_k += g(x_k; own data, guest), x_k = \arg\min_u \langle z_k, u \rangle + D(u, x_0)
    / \alpha_t.

    Colin, Bellet, Salmon, Clemencon 2016 (arXiv:1606.02421), Algorithm 2, synchronous; without
    guests it is dual averaging (Duchi et al. 2012, arXiv:1005.2012) over random pairs, and its
    theorem holds in expectation (:mod:`theory.theorems.dual_averaging`).

    Attributes:
        step_rule: the factors \alpha_t [x^2 / f] by step t, which must not increase.
        meetings: the law of the random pairs.
        guests: how a gradient uses the sample that visits.
        geometry: the Bregman divergence D of the steps and the set X that models stay in.

    Raises:
        ValueError: meetings of another number of workers than the network's (at init).
    """

    step_rule: Stepsize
    meetings: RandomEdge
    guests: SampleExchange = field(default_factory=NoSamples)
    geometry: Geometry = field(default_factory=Euclidean)

    @property
    def name(self) -> str:
        kind, where = self.guests.name, self.geometry.name
        return f"gossip dual averaging, {kind}, {where}, {self.meetings.name}"

    def constants(self, problem: Problem) -> Constants:
        """lam is that of the sums in mean square; with guests gradients are biased, and no theorem
        on unbiased ones may use it."""
        own = self.geometry.within(problem.constants(), problem).state(n=self.meetings.n)
        if self.guests.numbers:
            return own
        return own.merge(self.meetings.constants())

    def init(self, x0: Tensor, context: RunContext) -> GossipDualState:
        check_size(self.meetings, context, "meetings")
        start = self.geometry.start(context.rows(x0, len(context.network.workers)))
        guests = self.guests.first(start, context)
        return GossipDualState(start, torch.zeros_like(start), start, guests)

    def step(self, state: GossipDualState, t: int, context: RunContext) -> GossipDualState:
        meeting = self.meetings.draw(t, context.key, context.replicas)
        z = gossip(context.network, context.pack(Identity(), state.z, t), meeting)
        guests = state.guests
        if guests.shape[-1]:
            packet = context.pack(Identity(), guests, t, purpose="guests")
            guests = context.network.receive(packet, meeting.sources)[..., -1, :]
        z = z + self.guests.gradient(state.x, guests, t, context)
        return GossipDualState(
            self.geometry.step(state.start, z, self.step_rule(t)), z, state.start, guests
        )

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, z, start, g, incoming, ahead = (Register() for _ in range(6))
        if not isinstance(self.guests, NoSamples):
            return None
        descent = plus_scaled(x, start, lambda s: -self.step_rule(s), ahead), changed(x)
        change = published(self.geometry, context.problem.d, context.problem.dtype)
        step = (mixed(incoming, z), gradient(g, x), add(ahead, incoming, g), *descent)
        plan = NeighbourPlan(
            (x, z, start), (Program(step, swaps=((z, ahead),)),), MeetingLinks(self.meetings),
            drawn_gradient(context), change=change, opened=lambda state: state[:3],
            closed=lambda state, rows: GossipDualState(rows[0], rows[1], rows[2], state.guests),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: GossipDualState) -> Tensor:
        return state.x

"""Gossiping SGD: one-sided averages, pulled or pushed, without a common clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.gossip_events import PULL, PUSH
from algorithms.methods.base import RunContext
from algorithms.methods.parts.asynchronous_gossip import (
    Arrived,
    AsynchronousGossip,
    AsynchronousGossipState,
    go_on,
    stepped,
)
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.events import event_block
from algorithms.pipeline.gossip_events import GossipEventBlock, PairEvents
from algorithms.problems.base import Problem, require_int
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.partners import circle, partners
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class Direction(Enum):
    """Direction in which a model goes."""

    PULL = "pull"
    PUSH = "push"


@final
@dataclass(frozen=True)
class GossipingSGD(AsynchronousGossip):
    r"""Worker i arrives with g_i at its model as it was when it began, and with probability p
    gossips with a random neighbour j; then x_i \mathrel{-}= \gamma g_i.

    Pull: x_i = (x_i + x_j) / 2, x_j stays. Push: x_j is the mean of itself and of all that are
    pushed to it in this tick, x_i stays. One message either way; the mean over workers is kept in
    expectation only. What is read is as it stood before the tick. (Jin, Yuan, Iandola, Keutzer
    2016, arXiv:1611.04581, Section 3.)

    A step is a tick of the ``barrier``'s schedule under ``times``, drawn from ``schedule_seed`` for
    up to ``replicas`` replicas.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        topology: who hears whom, and the mixing matrices W.
        direction: PULL or PUSH.

    Raises:
        ValueError: ticks < 1, probability outside (0, 1]; a topology of another n or with edges of
            one direction only; a step beyond the schedule.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    topology: StaticTopology
    direction: Direction = Direction.PULL
    probability: float = 1.0
    barrier: Barrier = field(default_factory=Asynchronous)
    schedule_seed: int = 0
    replicas: int = 64

    def __post_init__(self) -> None:
        require_int("ticks", self.ticks, 1)
        circle(self.topology)
        if not 0 < self.probability <= 1:
            raise ValueError(
                f"probability must lie in (0, 1], got probability={self.probability}; 1 gossips at "
                "every gradient"
            )

    @property
    def name(self) -> str:
        often = "" if self.probability == 1 else f", p={self.probability:g}"
        return f"gossiping SGD, {self.direction.value}, {self.topology.name}{often}"

    def constants(self, problem: Problem) -> Constants:
        """Those of the problem; of pulls, which move nobody but who arrives, ``turn`` too."""
        if self.direction is not Direction.PULL:
            return problem.constants()
        known = Statement(Kind.UPPER, "this schedule", "longest wait over ticks and replicas")
        return problem.constants().state(known, turn=self.schedule(problem.n).turn)

    def meet(
        self, state: AsynchronousGossipState, arrived: Arrived, t: int, context: RunContext
    ) -> AsynchronousGossipState:
        sources = self.sources(arrived.subset, arrived.number, context)
        held = state.x[..., :-1, :]
        packet = context.pack(Identity(), held, arrived.number)
        incoming = context.network.receive(packet, sources)
        mean = mean_with(held, incoming, sources[..., context.network.workers, :], context)
        x = torch.cat((mean, state.x[..., -1:, :]), dim=-2)
        return go_on(
            state, stepped(x, arrived, self.step_rule(t), context), arrived.starts, context
        )

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        if self.barrier.counts_by_worker:
            return None
        how = PULL if self.direction is Direction.PULL else PUSH
        everyone = (True,) * context.network.n
        meetings = PairEvents(self.step_rule, self.topology, how, everyone, self.probability)
        return event_block(GossipEventBlock, context, meetings)

    def called(self, subset: Tensor, number: int, context: RunContext) -> Tensor:
        key = context.key.fold("partner", number)
        chosen = partners(self.topology, key, context.replicas, subset)
        coins = key.fold("whether").draws(context.replicas, subset.clamp_max(context.network.n - 1))
        gossips = coins.uniform(1, torch.float64)[..., 0] < self.probability
        return torch.where(gossips, chosen, subset)

    def sources(self, subset: Tensor, number: int, context: RunContext) -> Tensor:
        """Whom each worker hears when ``subset`` ``[..., k]`` arrive: ``[..., n, s]``, its own id
        where nobody."""
        called, n = self.called(subset, number, context), context.network.n
        everyone = torch.arange(n + 1, device=subset.device)
        if self.direction is Direction.PULL:  # everyone reads at most one
            read = everyone.expand(*subset.shape[:-1], n + 1)
            return read.scatter(-1, subset, called)[..., :-1, None]
        own = everyone[:-1, None]
        reads = (called[..., None, :] == own) & (called != subset)[..., None, :]
        return torch.where(reads, subset[..., None, :], own)


def mean_with(held: Tensor, incoming: Tensor, sources: Tensor, context: RunContext) -> Tensor:
    """Means ``[..., m, d]`` of own rows and those ``incoming`` ``[..., m, k, d]`` from ``sources``
    ``[..., m, k]``, others' alone, added slot by slot."""
    others = sources != context.network.workers[:, None]
    total = held
    for k in range(incoming.shape[-2]):
        total = torch.where(others[..., k, None], total + incoming[..., k, :], total)
    return total / (1 + others.sum(-1))[..., None]

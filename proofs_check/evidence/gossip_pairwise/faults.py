"""Pairwise and asynchronous gossip with one fault each, and the exact laws that see it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.compressors.random_mask import RandomMask
from algorithms.core.key import Key
from algorithms.methods.base import RunContext
from algorithms.methods.exchanges.gossip import gossip
from algorithms.methods.gossip_averaging.gossip_averaging import AveragingState, GossipAveraging
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.gossiping_sgd import GossipingSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD, SAPSState
from algorithms.methods.parts.asynchronous_gossip import (
    AsynchronousGossipState,
    arrive,
    go_on,
    stepped,
)
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth, pair_matrix
from algorithms.topologies.random_mixing import MixingDraw, RandomMixing, pair
from proofs_check.evidence.gossip_pairwise.closed_forms import (
    follows_the_matrices,
    follows_the_reads,
    mass_moves_by_gradients,
    no_deadlock,
)
from proofs_check.evidence.gossip_pairwise.closed_forms_averaging import mean_is_kept as sum_is_kept
from proofs_check.evidence.gossip_pairwise.closed_forms_bandwidth import (
    everyone_in_touch,
    mean_is_kept,
)
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault
from theory.arrays import Floats
from theory.stepsizes import ConstantStep


@final
@dataclass(frozen=True)
class OldReads(FaultyMethod):
    """AD-PSGD whose pairs all read what stood before the tick and write their means over it."""

    right: ADPSGD

    def step(
        self, state: AsynchronousGossipState, t: int, context: RunContext
    ) -> AsynchronousGossipState:
        arrived = arrive(state, t, context)
        called = self.right.called(arrived.who, t, context)
        before = state.x[..., :-1, :]
        x = before
        for k in range(arrived.who.shape[-1]):
            one, other = arrived.who[..., k : k + 1], called[..., k : k + 1]
            packet = context.pack(Identity(), before, t, purpose=f"average {k}")
            mean = gossip(context.network, packet, pair(one, other, context.network.n))
            own = context.network.workers
            x = torch.where(((own == one) | (own == other))[..., None], mean, x)
        x = torch.cat((x, state.x[..., -1:, :]), dim=-2)
        x = stepped(x, arrived, self.right.step_rule(t), context)
        return go_on(state, x, arrived.starts, context)


@final
@dataclass(frozen=True)
class OneWrites(FaultyMethod):
    """AD-PSGD in which who is called does not write the mean."""

    right: ADPSGD

    def step(
        self, state: AsynchronousGossipState, t: int, context: RunContext
    ) -> AsynchronousGossipState:
        after = self.right.step(state, t, context)
        who = state.schedule.at(t).arrivals
        called = (context.network.workers[:, None] == who[..., None, :]).any(-1)
        x = torch.where(called[..., None], after.x[..., :-1, :], state.x[..., :-1, :])
        return after._replace(x=torch.cat((x, after.x[..., -1:, :]), dim=-2))


@final
@dataclass(frozen=True)
class FreshGradients(FaultyMethod):
    """AD-PSGD whose gradients are taken at the worker's model as it is on arrival."""

    right: ADPSGD

    def step(
        self, state: AsynchronousGossipState, t: int, context: RunContext
    ) -> AsynchronousGossipState:
        return self.right.step(state._replace(view=state.x), t, context)


@final
@dataclass(frozen=True)
class GradientFirst(FaultyMethod):
    """AD-PSGD that applies the gradient before the average: half of it goes to the partner."""

    right: ADPSGD

    def step(
        self, state: AsynchronousGossipState, t: int, context: RunContext
    ) -> AsynchronousGossipState:
        moved = stepped(state.x, arrive(state, t, context), self.right.step_rule(t), context)
        idle = replace(self.right, step_rule=ConstantStep(1e-300))
        return idle.step(state._replace(x=moved), t, context)


@final
@dataclass(frozen=True)
class LosingPull(FaultyMethod):
    """Gossiping SGD whose reader halves its model and forgets to add what it read."""

    right: GossipingSGD

    def step(
        self, state: AsynchronousGossipState, t: int, context: RunContext
    ) -> AsynchronousGossipState:
        arrived = arrive(state, t, context)
        sources = self.right.sources(arrived.who, t, context)
        others = (sources != torch.arange(context.network.n)[:, None]).sum(-1)
        halved = state.x[..., :-1, :] / (1 + others)[..., None]
        x = torch.cat((halved, state.x[..., -1:, :]), dim=-2)
        x = stepped(x, arrived, self.right.step_rule(t), context)
        return go_on(state, x, arrived.starts, context)


@final
@dataclass(frozen=True)
class CallerAlone(FaultyMethod):
    """Randomised gossip in which one of the pair takes the mean and the other keeps its value."""

    right: GossipAveraging

    def step(self, state: AveragingState, t: int, context: RunContext) -> AveragingState:
        x = self.right.step(state, t, context).x
        changed = (x != state.x).any(-1).to(torch.int64)
        first = (changed * (changed.cumsum(-1) == 1)).to(torch.bool)
        return AveragingState(torch.where(first[..., None], x, state.x))


@final
@dataclass(frozen=True)
class OwnMasks(FaultyMethod):
    """SAPS-PSGD whose workers draw masks of their own: what the peer did not send counts as 0."""

    right: SAPSPSGD

    def step(self, state: SAPSState, t: int, context: RunContext) -> SAPSState:
        mask = RandomMask(1 / self.right.compression)
        packet = context.pack(mask, state.x, t)
        meeting = self.right.meetings.at(t, context.key, context.replicas)
        mixed = gossip(context.network, packet, meeting)
        return SAPSState(torch.where(packet.own(context.network.workers) != 0, mixed, state.x))


@final
@dataclass(frozen=True)
class HeaviestAlways(RandomMixing):
    """The first matching of all steps: bandwidth alone, without a look at who was left apart."""

    right: BandwidthMatching

    @property
    def n(self) -> int:
        return self.right.n

    @property
    def name(self) -> str:
        return f"{self.right.name}, never changed"

    def at(self, t: int, key: Key, replicas: Tensor) -> MixingDraw:
        return self.right.at(0, key, replicas)

    def expected(self) -> Floats:
        return pair_matrix(self.right.peers(0))

    def expected_square(self) -> Floats:
        return self.expected()


def _heaviest(n: int) -> RandomMixing:
    return HeaviestAlways(BandwidthMatching(drawn_bandwidth(n, 0)))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "AD-PSGD with averages that are not atomic", "pairs of a tick read what stood before it",
        mass_moves_by_gradients, OldReads,
    ),
    fault(
        "AD-PSGD in which one of the pair writes", "who is called keeps its model",
        mass_moves_by_gradients, OneWrites,
    ),
    fault(
        "AD-PSGD with fresh gradients", "taken at the model on arrival, not at that of the start",
        follows_the_matrices, FreshGradients,
    ),
    fault(
        "AD-PSGD averaging its gradient", "(X - gamma g e_i^T) W in place of X W - gamma g e_i^T",
        follows_the_matrices, GradientFirst,
    ),
    fault(
        "AD-PSGD in which both halves call", "the bipartite rule dropped: circles of waiting",
        no_deadlock, lambda method: replace(method, bipartite=False),
    ),
    fault(
        "gossiping SGD whose pull loses half", "x_i / 2 in place of (x_i + x_j) / 2",
        follows_the_reads, LosingPull,
    ),
    fault(
        "randomised gossip, one of the pair averages", "the other keeps its value",
        sum_is_kept, wrapped(CallerAlone, GossipAveraging),
    ),
    fault(
        "SAPS-PSGD with masks of the workers' own", "peers send different coordinates",
        mean_is_kept, OwnMasks,
    ),
    fault(
        "SAPS-PSGD without its recency rule", "the heaviest matching at every step",
        everyone_in_touch, _heaviest,
    ),
)  # fmt: skip

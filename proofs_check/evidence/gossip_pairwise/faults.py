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
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.arrays import Floats
from theory.stepsizes import ConstantStep


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
class HeaviestAlways(RandomMixing):
    """The first matching of all steps: bandwidth alone, without a look at who was left apart."""

    right: BandwidthMatching

    @property
    def n(self) -> int:
        return self.right.n

    @property
    def name(self) -> str:
        return f"{self.right.name}, never changed"

    def draw(self, t: int, key: Key, replicas: Tensor) -> MixingDraw:
        return self.right.draw(0, key, replicas)

    def expected(self) -> Floats:
        return pair_matrix(self.right.peers(0))

    def expected_square(self) -> Floats:
        return self.expected()


def _heaviest(n: int) -> RandomMixing:
    return HeaviestAlways(BandwidthMatching(drawn_bandwidth(n, 0)))


@wrong_step("AD-PSGD with averages that are not atomic", judge=mass_moves_by_gradients)
def old_reads(
    own: ADPSGD, state: AsynchronousGossipState, t: int, context: RunContext
) -> AsynchronousGossipState:
    """pairs of a tick read what stood before it"""
    arrived = arrive(state, t, context)
    called = own.called(arrived.subset, t, context)
    before = state.x[..., :-1, :]
    x = before
    for k in range(arrived.subset.shape[-1]):
        one, other = arrived.subset[..., k : k + 1], called[..., k : k + 1]
        packet = context.pack(Identity(), before, t, purpose=f"average {k}")
        mean = gossip(context.network, packet, pair(one, other, context.network.n))
        mine = context.network.workers
        x = torch.where(((mine == one) | (mine == other))[..., None], mean, x)
    x = torch.cat((x, state.x[..., -1:, :]), dim=-2)
    x = stepped(x, arrived, own.step_rule(t), context)
    return go_on(state, x, arrived.starts, context)


@wrong_step("AD-PSGD in which one of the pair writes", judge=mass_moves_by_gradients)
def one_writes(
    own: ADPSGD, state: AsynchronousGossipState, t: int, context: RunContext
) -> AsynchronousGossipState:
    """who is called keeps its model"""
    after = own.step(state, t, context)
    subset = state.schedule.tick(t).arrivals
    called = (context.network.workers[:, None] == subset[..., None, :]).any(-1)
    x = torch.where(called[..., None], after.x[..., :-1, :], state.x[..., :-1, :])
    return after._replace(x=torch.cat((x, after.x[..., -1:, :]), dim=-2))


@wrong_step("AD-PSGD with fresh gradients", judge=follows_the_matrices)
def fresh_gradients(
    own: ADPSGD, state: AsynchronousGossipState, t: int, context: RunContext
) -> AsynchronousGossipState:
    """taken at the model on arrival, not at that of the start"""
    return own.step(state._replace(view=state.x), t, context)


@wrong_step("AD-PSGD averaging its gradient", judge=follows_the_matrices)
def gradient_first(
    own: ADPSGD, state: AsynchronousGossipState, t: int, context: RunContext
) -> AsynchronousGossipState:
    """(X - gamma g e_i^T) W in place of X W - gamma g e_i^T"""
    moved = stepped(state.x, arrive(state, t, context), own.step_rule(t), context)
    idle = replace(own, step_rule=ConstantStep(1e-300))
    return idle.step(state._replace(x=moved), t, context)


@wrong_step("gossiping SGD whose pull loses half", judge=follows_the_reads)
def losing_pull(
    own: GossipingSGD, state: AsynchronousGossipState, t: int, context: RunContext
) -> AsynchronousGossipState:
    """x_i / 2 in place of (x_i + x_j) / 2"""
    arrived = arrive(state, t, context)
    sources = own.sources(arrived.subset, t, context)
    others = (sources != torch.arange(context.network.n)[:, None]).sum(-1)
    halved = state.x[..., :-1, :] / (1 + others)[..., None]
    x = torch.cat((halved, state.x[..., -1:, :]), dim=-2)
    x = stepped(x, arrived, own.step_rule(t), context)
    return go_on(state, x, arrived.starts, context)


@wrong_step("SAPS-PSGD with masks of the workers' own", judge=mean_is_kept)
def own_masks(own: SAPSPSGD, state: SAPSState, t: int, context: RunContext) -> SAPSState:
    """peers send different coordinates"""
    mask = RandomMask(1 / own.compression)
    packet = context.pack(mask, state.x, t)
    meeting = own.meetings.draw(t, context.key, context.replicas)
    mixed = gossip(context.network, packet, meeting)
    return SAPSState(torch.where(packet.own(context.network.workers) != 0, mixed, state.x))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "AD-PSGD in which both halves call", "the bipartite rule dropped: circles of waiting",
        no_deadlock, lambda method: replace(method, bipartite=False),
    ),
    fault(
        "randomised gossip, one of the pair averages", "the other keeps its value",
        sum_is_kept, wrapped(CallerAlone, GossipAveraging),
    ),
    fault(
        "SAPS-PSGD without its recency rule", "the heaviest matching at every step",
        everyone_in_touch, _heaviest,
    ),
)  # fmt: skip

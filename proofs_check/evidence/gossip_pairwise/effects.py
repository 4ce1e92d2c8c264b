"""Effects of gossip in which workers meet in pairs, and faults planted in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import torch
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.compressors.identity import Identity
from algorithms.compressors.random_mask import RandomMask
from algorithms.core.key import Key
from algorithms.methods.base import RunContext
from algorithms.methods.exchanges.gossip import gossip
from algorithms.methods.gossip.d_psgd import DPSGD
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
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.stopwatch import Timing
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth, pair_matrix
from algorithms.topologies.random_mixing import MixingDraw, RandomMixing, pair
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_pairwise.bandwidth import (
    everyone_in_touch,
    mean_is_kept,
)
from proofs_check.evidence.gossip_pairwise.closed_forms import (
    follows_the_matrices,
    follows_the_reads,
    mass_moves_by_gradients,
    no_deadlock,
)
from proofs_check.evidence.gossip_pairwise.closed_forms_averaging import mean_is_kept as sum_is_kept
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.methods.faulty.faulty_method import FaultyMethod, FirstMeeting, OnLinks, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

# Pairwise and asynchronous gossip with one fault each, and the exact laws that see it.


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


# Effects of gossip in which workers meet in pairs.

_MEAN_MODEL = " of the mean model"
_ALIKE = partial(Quadratic.strongly_convex, sigma2=0.0)
_FREE = AlphaBeta(0.0, 0.0)
_ROUNDS = 60  # in which all workers step, as many as the ticks of one


def _timed(it: ArmContext) -> Any:
    """The row's method, whose schedule is drawn by the times of the setting."""
    timing = it.setting.timing
    assert timing is not None
    return replace(it.own, times=timing.times, replicas=it.setting.replicas)


AD_PSGD = contrast(
    "ad-psgd", "one slow worker does not slow the others down",
    Setting(
        "quadratic-sc-iid, no noise", _ALIKE, 8, lambda n: n * _ROUNDS, (0.1, 0.2, 0.4, 0.8, 1.6),
        replicas=32, d=10, timing=Timing(Constant((10.0, *(1.0,) * 15)), _FREE),
        note="ring, a gradient takes 1 s, worker 0's 10 s, messages take no time",
    ),
    Reading("seconds", target=1e-5, of=_MEAN_MODEL),
    method=arm("AD-PSGD", _timed),
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n)), steps=_ROUNDS),
    without=arm(
        "AD-PSGD whose workers wait for each other",
        lambda it: replace(_timed(it), barrier=Bulk()), steps=_ROUNDS,
    ),
    at_most=0.3,
    source="Lian, Zhang, Zhang, Liu 2018, arXiv:1710.06952, section 5: immune to slow workers",
    scales=("linear", "log"),
)  # fmt: skip

GOSSIPING_SGD = contrast(
    "gossiping-sgd", "without a barrier nobody waits for stragglers",
    Setting(
        "quadratic-sc-iid, no noise", _ALIKE, 16, lambda n: 50 * n, (0.4, 0.8, 1.6), replicas=128,
        points=150, d=10,
        timing=Timing(Exponential(1.0), _FREE),
        note="complete graph, gradients take an exponential time of mean 1 s, messages none",
    ),
    Reading("seconds", target=1e-3, of=_MEAN_MODEL),
    method=arm("gossiping SGD, pull", _timed),
    baseline=arm("all-reduce SGD (BSP)", lambda it: it.method_of("bsp-sgd"), steps=_ROUNDS),
    without=arm(
        "gossiping SGD whose workers wait for each other",
        lambda it: replace(_timed(it), barrier=Bulk()), steps=_ROUNDS,
    ),
    at_most=0.8, source="Jin, Yuan, Iandola, Keutzer 2016, arXiv:1611.04581, section 3",
    scales=("linear", "log"),
)  # fmt: skip

RANDOMISED_GOSSIP = contrast(
    "randomised-gossip", "pairs that meet by chance lead all workers to the mean",
    Setting(
        "consensus", partial(problem, "consensus"), 8, lambda n: 800 * n**3 // 512, None,
        replicas=64, points=80, note="a step is a tick, ring, d = 20",
    ),
    Reading(quantity="distance_of_workers"),
    method="randomised gossip",
    baseline=arm(
        "one of the pair averages, the other keeps its value", lambda it: CallerAlone(it.own)
    ),
    without=arm("one pair, drawn once, meets at all ticks", lambda it: FirstMeeting(it.own)),
    at_most=1e-3,
    source="Boyd, Ghosh, Prabhakar, Shah 2006, IEEE Trans. Inf. Theory 52(6), Theorem 3",
    scales=("linear", "log"),
)  # fmt: skip


def _on_links_of_the_row(it: ArmContext, meetings: Any) -> OnLinks:
    """The row's method with other meetings, timed by the links that the row has."""
    return OnLinks(replace(it.own, meetings=meetings), it.own.meetings.bandwidth)


SAPS_PSGD = contrast(
    "saps-psgd", "peers matched by bandwidth save seconds",
    Setting(
        "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 400,
        (0.02, 0.04, 0.08, 0.16, 0.32), replicas=64, points=200, d=20,
        timing=Timing(Constant(1e-3), AlphaBeta(1e-5, 1e-4)),
        note="links of 10 to 50 kbit/s, a gradient takes 1 ms",
    ),
    Reading("seconds", "distance_of_workers", target=2.0),
    method="SAPS-PSGD, peers by bandwidth",
    baseline=arm(
        "SAPS-PSGD, peers by chance: matched by other bandwidths, drawn alike",
        lambda it: _on_links_of_the_row(
            it, replace(it.own.meetings, bandwidth=drawn_bandwidth(it.problem.n, 1))
        ),
    ),
    without=arm(
        "the fastest links always: no look at who was left apart",
        lambda it: _on_links_of_the_row(it, HeaviestAlways(it.own.meetings)),
    ),
    at_most=0.85, source="Tang, Shi, Chu 2020, arXiv:2002.09692, section IV",
)  # fmt: skip

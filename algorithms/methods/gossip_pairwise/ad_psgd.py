"""AD-PSGD: stale gradients and atomic averages of pairs, without a common clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.shared_mask import SharedMask
from algorithms.kernels.gossip_events import AVERAGE
from algorithms.methods.base import RunContext
from algorithms.methods.exchanges.gossip import gossip
from algorithms.methods.parts.asynchronous_gossip import (
    Arrived,
    AsynchronousGossip,
    AsynchronousGossipState,
    go_on,
)
from algorithms.methods.parts.constants import operator_constants
from algorithms.methods.parts.scheduled import places
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.events import event_block
from algorithms.pipeline.gossip_events import GossipEventBlock, PairEvents
from algorithms.problems.base import Problem, require_int
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.partners import circle, halves, partners
from algorithms.topologies.random_mixing import pair
from theory.constants import Constants
from theory.stepsizes import Stepsize

_PLAIN = Identity()


@final
@dataclass(frozen=True)
class ADPSGD(AsynchronousGossip):
    r"""X_{k+1} = W_k X_k - \gamma g_{i_k}(\hat X_k) e_{i_k}^T: worker i_k arrives with a gradient
    at its own model as it was when it began; it and a random neighbour take the mean of their
    models; then the gradient is applied to its model alone. (Lian, Zhang, Zhang, Liu 2018,
    arXiv:1710.06952, Algorithm 1.)

    A step is a tick of the ``barrier``'s schedule under ``times``, drawn from ``schedule_seed`` for
    up to ``replicas`` replicas. Averages are atomic: of several who arrive in one tick, those of
    lower ids go first, each finding what those before it left. Others' averages move a worker's
    model while it computes; its gradient does not see that.

    With a ``compressor`` C the two exchange C of their models, and x_i moves by
    \frac12 (C(x_j) - C(x_i)): the mean of the two stays what it is, for any C. A random mask is one
    that both draw from a seed they share, so that masked coordinates are averaged and the others
    kept, as SAPS-PSGD does in rounds (Tang, Shi, Chu 2020, arXiv:2002.09692). The combination is
    ours: survey 002's Table IV leaves it blank.

    ``bipartite``: only workers of worker 0's half call, only those of the other answer; who answers
    applies its own gradients and calls nobody. Nobody then waits in a circle (Section 4.1).

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        topology: who hears whom, and the mixing matrices W.

    Raises:
        ValueError: ticks < 1; a topology of another n, with edges of one direction only, or, where
            ``bipartite``, with a cycle of odd length; a step beyond the schedule.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    topology: StaticTopology
    barrier: Barrier = field(default_factory=Asynchronous)
    compressor: Compressor = field(default_factory=Identity)
    bipartite: bool = False
    schedule_seed: int = 0
    replicas: int = 64

    def __post_init__(self) -> None:
        require_int("ticks", self.ticks, 1)
        circle(self.topology)
        if self.bipartite:
            halves(self.topology)

    @property
    def name(self) -> str:
        calls = ", one half calls" if self.bipartite else ""
        sends = "" if isinstance(self.compressor, Identity) else f", {self.compressor.name}"
        return f"AD-PSGD, {self.topology.name}, {self.barrier.name}{sends}{calls}"

    def constants(self, problem: Problem) -> Constants:
        own = operator_constants(self.compressor, problem.d)
        return problem.constants().merge(self.staleness(problem.n)).merge(own)

    def meet(
        self, state: AsynchronousGossipState, arrived: Arrived, t: int, context: RunContext
    ) -> AsynchronousGossipState:
        number = arrived.number
        called = self.called(arrived.subset, number, context)
        x, gamma = state.x, self.step_rule(t)
        for k in range(arrived.subset.shape[-1]):  # one after another: each is atomic
            caller = arrived.subset[..., k : k + 1]
            x = averaged(x, caller, called[..., k : k + 1], number, k, context, self.compressor)
            place = places(caller, context.network, x)
            moved = x.gather(-2, place) - gamma * arrived.gradients[..., k : k + 1, :]
            x = x.scatter(-2, place, moved)
        return go_on(state, x, arrived.starts, context)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        if self.barrier.counts_by_worker:
            return None
        calls = halves(self.topology) if self.bipartite else (True,) * context.network.n
        meetings = PairEvents(self.step_rule, self.topology, AVERAGE, calls, 1.0, self.compressor)
        return event_block(GossipEventBlock, context, meetings)

    def called(self, subset: Tensor, number: int, context: RunContext) -> Tensor:
        """Whom each of ``subset`` ``[..., k]`` averages with; itself where it does not call."""
        chosen = partners(
            self.topology, context.key.fold("partner", number), context.replicas, subset
        )
        if not self.bipartite:
            return chosen
        calls = torch.tensor((*halves(self.topology), True), device=subset.device)
        return torch.where(calls[subset], chosen, subset)


def averaged(
    x: Tensor,
    caller: Tensor,
    called: Tensor,
    t: int,
    turn: int,
    context: RunContext,
    compressor: Compressor = _PLAIN,
) -> Tensor:
    """Models ``[..., m + 1, d]`` after ``caller`` and ``called`` ``[..., 1]`` took their mean.

    One message each way, through the ``compressor``. A caller n, nobody, or one that calls itself
    changes nothing.
    """
    held, purpose = x[..., :-1, :], f"average {turn}"
    if isinstance(compressor, RandomMask):
        key = context.key.fold("mask", t).fold(purpose)
        compressor = SharedMask(compressor.q, key, context.replicas)
    packet = context.pack(compressor, held, t, purpose=purpose)
    meeting = pair(caller, called, context.network.n)
    if isinstance(compressor, Identity):
        mean = gossip(context.network, packet, meeting)
    else:
        said = context.network.receive(packet, meeting.sources)
        share = meeting.weights.to(held)[..., context.network.workers, 1:]
        mean = held + share * (said[..., 1, :] - said[..., 0, :])
    return torch.cat((mean, x[..., -1:, :]), dim=-2)


def conflicts(subset: Tensor, called: Tensor, n: int) -> Tensor:
    """Number of exchanges of one tick ``[..., k]`` that meet a worker that an earlier one of it
    met already ``[...]``: they must wait for it."""
    shape = (*subset.shape[:-1], n + 1)
    met = torch.zeros(shape, dtype=torch.bool, device=subset.device)
    count = torch.zeros(subset.shape[:-1], dtype=torch.int64, device=subset.device)
    for k in range(subset.shape[-1]):
        pair = torch.stack((subset[..., k], called[..., k]), dim=-1)
        real = (pair < n).all(-1) & (pair[..., 0] != pair[..., 1])
        count += real & met.gather(-1, pair).any(-1)
        # the last place is nobody's
        met = met.scatter(-1, torch.where(real[..., None], pair, n), True)
    return count

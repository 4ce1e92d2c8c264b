"""Effects of averaging along fixed links, and faults planted in topologies and weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, final

import numpy as np
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.methods.base import RunContext
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import AveragingState, GossipAveraging
from algorithms.topologies.base import Neighbours, PushTopology, StaticTopology, Topology
from algorithms.topologies.grid import Grid
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.random_digraph import RandomDigraph
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from algorithms.topologies.weights import BestConstant, MaxDegree, MetropolisHastings, Weights
from proofs_check.evidence.gossip_averaging.closed_forms import (
    irregular,
    optimal,
    published_factors,
    published_gaps,
    slowest_eigenvector,
    under_the_bound,
)
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.topologies.mixing import check_topology
from proofs_check.topologies.push import check_push
from theory.arrays import Floats
from theory.networks.weights import constant, laplacian

# Topologies and weights with one fault each, and the check that sees it.

_DIGRAPH = RandomDigraph(8, 0.4, seed=1)
_PARTS = TimeVaryingDigraph.ring_by_parts(8, 4)
_GRID = Grid(3, 4)
_ONE_PEER = OnePeerExponential(8)


@final
@dataclass(frozen=True)
class RowShares(PushTopology):
    """Every worker averages what it hears, 1 / (1 + in-degree): rows sum to 1, columns do not."""

    right: PushTopology
    name = "row-stochastic push-sum"

    @property
    def n(self) -> int:
        return self.right.n

    @property
    def period(self) -> int:
        return self.right.period

    def matrix(self, t: int) -> Floats:
        hears = (self.right.matrix(t) != 0.0).astype(np.float64)
        return np.asarray(hears / hears.sum(axis=1, keepdims=True))


@final
@dataclass(frozen=True)
class BrokenCircle(PushTopology):
    """A directed ring by parts with one link missing: all joined, but not strongly.

    Attributes:
        n: number of workers.
    """

    n: int = 8
    name = "ring by parts without its last link"
    period = 4

    def matrix(self, t: int) -> Floats:
        p = np.array(_PARTS.matrix(t))
        p[0, -1], p[-1, -1] = 0.0, 1.0
        return p


@final
@dataclass(frozen=True)
class KeepingNothing(PushTopology):
    """All links at 1 / out-degree, nothing for oneself.

    Attributes:
        n: number of workers.
    """

    n: int = 8
    name = "push-sum that keeps nothing"
    period = 1

    def matrix(self, t: int) -> Floats:
        sent = (_DIGRAPH.matrix(0) != 0.0) & ~np.eye(self.n, dtype=bool)
        return np.asarray(sent / np.maximum(sent.sum(axis=0), 1))


@final
@dataclass(frozen=True)
class OwnDegree(StaticTopology):
    """w_ij = 1 / (1 + d_i), not 1 / (1 + max(d_i, d_j)): columns do not sum to 1.

    Attributes:
        n: number of workers.
    """

    n: int = _GRID.n
    name = "weights by the own degree"

    def matrix(self, t: int) -> Floats:
        return self.build()

    def build(self) -> Floats:
        joined = _GRID.adjacency() + np.eye(self.n)
        return np.asarray(joined / joined.sum(axis=1, keepdims=True))


@final
@dataclass(frozen=True)
class SelfTwice(StaticTopology):
    """A list of neighbours in which everyone stands beside its own row: W_ii counts twice.

    Attributes:
        n: number of workers.
    """

    n: int = _GRID.n
    name = "own row twice in the list"

    def build(self) -> Floats:
        return _GRID.build()

    def neighbours(self, t: int) -> Neighbours:
        w = self.build()
        return Neighbours(w + np.diag(w.diagonal()))


@final
@dataclass(frozen=True)
class EvenHops(Topology):
    """One-peer exponential hops 2, 4, 8, ... mod n: 1 is forgotten, odd and even never meet."""

    n: int = _ONE_PEER.n
    name = "one-peer exponential without hop 1"
    period = _ONE_PEER.period

    def matrix(self, t: int) -> Floats:
        hop = 2 << (t % self.period)
        return (np.eye(self.n) + np.roll(np.eye(self.n), hop, axis=1)) / 2.0


@final
@dataclass(frozen=True)
class WrongEigenvalue(Weights):
    """2 / (l_1 + l_{n-2}): the second smallest positive eigenvalue of the Laplacian."""

    name = "constant by the wrong eigenvalue"
    signed = True

    def matrix(self, adjacency: Floats) -> Floats:
        values = np.linalg.eigvalsh(laplacian(adjacency))
        return constant(adjacency, 2.0 / float(values[-1] + values[2]))


@final
@dataclass(frozen=True)
class NearlyMetropolis(Weights):
    """Metropolis-Hastings weights of which one edge has 10^-3 less: still doubly stochastic."""

    name = "nearly Metropolis-Hastings"

    def matrix(self, adjacency: Floats) -> Floats:
        w = MetropolisHastings().matrix(adjacency)
        i, j = (int(v) for v in np.argwhere(np.triu(adjacency, 1))[0])
        w[[i, j], [j, i]] -= 1e-3
        w[[i, j], [i, j]] += 1e-3
        return w


class TwoSteps(NamedTuple):
    """Values now and a step ago ``[..., m, d]``.

    Attributes:
        x: values now.
        before: values a step ago.
    """

    x: Tensor
    before: Tensor


@final
@dataclass(frozen=True)
class StaleAveraging(FaultyMethod):
    """Averaging with the own value of now and the neighbours' of a step ago."""

    right: GossipAveraging

    def init(self, x0: Tensor, context: RunContext) -> TwoSteps:
        x = self.right.init(x0, context).x
        return TwoSteps(x, x)

    def step(self, state: TwoSteps, t: int, context: RunContext) -> TwoSteps:
        mixed = self.right.step(AveragingState(state.before), t, context).x
        weights = self.right.exchange.meeting(t, context).kept[context.network.workers, None]
        own = weights * (state.x - state.before)
        return TwoSteps(mixed + own, state.x)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "Metropolis weights off by 1e-3", "one edge has 1e-3 less, both own weights as much more",
        irregular, NearlyMetropolis(),
    ),
    MethodMutant(
        "push weights by the in-degree", "1/(1 + in-degree) instead of 1/(1 + out-degree)",
        lambda: check_push(RowShares(_DIGRAPH)), lambda: check_push(_DIGRAPH),
    ),
    MethodMutant(
        "digraph that is not strongly connected", "one link of a directed ring is missing",
        lambda: check_push(BrokenCircle())[1], lambda: check_push(_PARTS)[1],
    ),
    MethodMutant(
        "push weights that keep nothing", "shares 1/out-degree, none for oneself",
        lambda: check_push(KeepingNothing())[1], lambda: check_push(_DIGRAPH)[1],
    ),
    MethodMutant(
        "weights by the own degree", "w_ij = 1/(1 + d_i) instead of 1/(1 + max(d_i, d_j))",
        lambda: check_topology(OwnDegree()), lambda: check_topology(_GRID),
    ),
    MethodMutant(
        "own row twice in the list", "the self-weight W_ii counts twice in what is mixed",
        lambda: check_topology(SelfTwice())[2], lambda: check_topology(_GRID)[2],
    ),
    MethodMutant(
        "one-peer exponential without hop 1", "a union that falls apart into odd and even",
        lambda: check_topology(EvenHops())[1], lambda: check_topology(_ONE_PEER)[1],
    ),
    fault(
        "Metropolis-Hastings of the other convention", "1/(1 + max) where 1/max was published",
        published_factors, ((MetropolisHastings(), 0.7743, 3.9094),),
    ),
    fault(
        "Metropolis-Hastings without its 1", "1/max on rings and tori whose gaps are known",
        published_gaps, MetropolisHastings(plus_one=False),
    ),
    fault(
        "best constant by the wrong eigenvalue", "2/(l_1 + l_{n-2}) instead of 2/(l_1 + l_{n-1})",
        published_factors, ((WrongEigenvalue(), 0.7119, 2.9422),),
    ),
    MethodMutant(
        "averaging with old neighbour values", "the own value is a step newer than the others'",
        lambda: slowest_eigenvector(_GRID, wrapped(StaleAveraging, GossipAveraging)),
        lambda: slowest_eigenvector(_GRID),
    ),
    MethodMutant(
        "averaging with the own row twice", "x <- (W + diag W) x along a run",
        lambda: under_the_bound(SelfTwice()), lambda: under_the_bound(_GRID),
    ),
    MethodMutant(
        "fastest weights that are not", "the best constant weights in place of FDLA",
        lambda: optimal(fastest=BestConstant()), optimal,
    ),
)  # fmt: skip


# Effects of averaging along fixed links.

FDLA = contrast(
    "fdla", "optimal weights agree in fewer rounds over the same links",
    Setting(
        "consensus", partial(problem, "consensus"), 16, 300, None, note="grid of 4 by 4, d = 20"
    ),
    Reading("steps", "distance_of_workers", target=1e-12),
    method="FDLA weights",
    baseline=arm(
        "Metropolis-Hastings weights",
        lambda it: GossipAveraging(FixedLinks(Grid.square(it.problem.n, MetropolisHastings()))),
    ),
    without=arm(
        "no optimisation: the same weight on every link, by the largest degree",
        lambda it: GossipAveraging(FixedLinks(Grid.square(it.problem.n, MaxDegree()))),
    ),
    at_most=0.85, source="Xiao, Boyd 2004, Systems and Control Letters 53, section 5",
    scales=("linear", "log"),
)  # fmt: skip

r"""Push-sum: exact averages, contraction of a mode, and what is kept: sums, weights, the mean.

One-peer exponential graph, n = 2^k: exact after k rounds. Directed ring (I + P)/2: the slowest mode
contracts by cos(pi/n). Any column-stochastic P: sum s and sum w stay and w > 0, so s/w tends to the
mean, where averaging with row-stochastic weights ends at \sum_i \pi_i b_i, \pi its left Perron
vector. Uniform gossip on n workers: with u_i = s_i - \bar x w_i,

    E\|u_{t+1}\|^2 = (\frac14 - \frac{1}{2(n-1)} + \frac14 (1 - \frac{n-2}{(n-1)^2})) E\|u_t\|^2.

(Kempe, Dobra, Gehrke 2003, FOCS; the factor is derived here, from independent receivers.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product as every
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.methods.parts.push import PushState
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.base import MixingSequence
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.dissemination import Dissemination, RotatingHypercube
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.random_digraph import RandomDigraph
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.paths import path
from proofs_check.methods.faulty.push import GradientSent
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Exchange], Method[Any]]

DIGRAPH = RandomDigraph(7, 0.4, seed=7)
"""A directed graph whose in-degrees differ, so that weights leave 1."""


_PUSH_SUM_FORMS = ClosedForms("push-sum")


@_PUSH_SUM_FORMS.case("closed form")
def exact_after_rounds(
    build: Build = PushSum, graph: Callable[[int], MixingSequence] = OnePeerExponential
) -> Iterator[Verdict]:
    """One-peer exponential graph: averages of integers on 8 and 32 workers, exact in binary."""
    for n in (8, 32):
        b = torch.arange(n, dtype=torch.float64)[:, None]
        problem = Quadratic.from_arrays(torch.ones_like(b), b)
        rounds = n.bit_length() - 1
        *_, last = path(build(FixedLinks(graph(n))), problem, rounds)
        yield same(
            f"one partner a round: exact after log2 n rounds, {graph(n).name}",
            torch.cat((last.state.s, last.state.w), -1)[0], [(n - 1) / 2, 1.0], tolerance=0.0,
            on=problem, words=f"starts 0, ..., {n - 1}; sums of integers over 2^k are exact",
        )  # fmt: skip


@_PUSH_SUM_FORMS.case("closed form", "30 rounds from cos(2 pi i / 8)")
def ring_contraction(build: Build = PushSum) -> Verdict:
    """Consensus error of the slowest mode on the directed ring of 8."""
    b = torch.cos(2 * math.pi * torch.arange(8, dtype=torch.float64) / 8)[:, None]
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    rms = [
        float(moment.context.network.mean_over_workers(ratios(moment.state).square()).sqrt())
        for moment in path(build(FixedLinks(DirectedRing(8))), problem, 30)
    ]
    return same(
        "directed ring (I + P)/2: the slowest mode contracts by cos(pi/n), n=8",
        np.array(rms[1:]) / np.array(rms[:-1]), math.cos(math.pi / 8), on=problem,
    )  # fmt: skip


def ratios(state: Any) -> torch.Tensor:
    """The ratios z = s / w of a state ``[..., m, d]``."""
    z: torch.Tensor = state.s / state.w
    return z


def exchanges() -> tuple[Exchange, ...]:
    """Static, time-varying and random push matrices."""
    return (
        FixedLinks(DIGRAPH),
        FixedLinks(RandomDigraph(7, 0.2, seed=5, graphs=5)),
        FixedLinks(TimeVaryingDigraph.ring_by_parts(7, 3)),
        RandomLinks(RandomOutNeighbour(Complete(7))),
    )


@_PUSH_SUM_FORMS.case("mass", "seed 45, 3 replicas, 120 rounds; standard normal starts, seed 44")
def mass_is_kept(
    build: Build = PushSum, among: tuple[Exchange, ...] | None = None
) -> Iterator[Verdict]:
    """Sum s, sum w = n and min w > 0 over 120 rounds, four kinds of exchange."""
    problem = consensus_problem(7, 3, 44)
    centre = problem.x_star
    for exchange in among or exchanges():
        moments = list(path(build(exchange), problem, 120, seed=45, replicas=3))
        joined = torch.stack([torch.cat((m.state.s, m.state.w), -1) for m in moments])
        positive = bool((joined[..., -1] > 0).all())
        due = torch.cat((centre, torch.ones(1, dtype=torch.float64)))
        yield same(
            f"mean s and mean w stay and w > 0, {exchange.name}",
            joined.mean(-2) if positive else torch.full_like(joined.mean(-2), math.nan), due,
            on=problem,
        )  # fmt: skip


@_PUSH_SUM_FORMS.case("the mean", "seed 46, 2 replicas, 400 rounds")
def reaches_mean(
    build: Build = PushSum, among: tuple[Exchange, ...] | None = None
) -> Iterator[Verdict]:
    """Every z_i after 400 rounds against the mean of the starts."""
    problem = consensus_problem(7, 3, 44)
    for exchange in among or exchanges():
        method = build(exchange)
        *_, last = path(method, problem, 400, seed=46, replicas=2)
        yield same(
            f"every s_i / w_i tends to the mean of the starts, {exchange.name}",
            method.models(last.state), problem.x_star, tolerance=1e-9, on=problem,
        )  # fmt: skip


def perron(matrix: Floats) -> Floats:
    """Left Perron vector of a non-negative irreducible matrix, entries summing to 1."""
    values, vectors = np.linalg.eig(matrix.T)
    v = np.real(vectors[:, int(np.argmax(np.real(values)))])
    return np.asarray(v / v.sum())


@_PUSH_SUM_FORMS.case("Perron value", f"400 rounds on {DIGRAPH.name}")
def plain_averaging(build: Build = PushSum) -> Verdict:
    """Row-stochastic weights keep w = 1 and end at the Perron-weighted value, not at the mean."""
    problem, plain = consensus_problem(7, 3, 44), Averaging(DIGRAPH)
    *_, last = path(build(FixedLinks(plain)), problem, 400)
    starts = problem.all_gradients(torch.zeros(3, dtype=torch.float64)).neg().numpy()
    value = perron(plain.matrix(0)) @ starts
    off = float(np.abs(value - starts.mean(0)).max())
    return same(
        "averaging with row-stochastic weights ends at sum_i pi_i b_i, pi the left Perron vector",
        ratios(last.state), value, tolerance=1e-9, note=f"the mean is up to {off:.3g} away",
        on=problem,
    )  # fmt: skip


def gossip_factor(n: int) -> float:
    """Contraction of E||s - xbar w||^2 by a round of uniform gossip; see the module."""
    return 0.25 - 0.5 / (n - 1) + 0.25 * (1 - (n - 2) / (n - 1) ** 2)


def enumerated_factor(n: int) -> float:
    """The same by summing over all (n - 1)^n choices, for the start u = e_0 - e_1."""
    u = np.zeros(n)
    u[:2] = 1.0, -1.0
    others = [[i for i in range(n) if i != j] for j in range(n)]
    total = 0.0
    for called in every(*others):
        after = u / 2
        np.add.at(after, list(called), u / 2)
        total += float(after @ after)
    return total / float((n - 1) ** n) / 2.0


@_PUSH_SUM_FORMS.case()
def uniform_gossip(build: Build = PushSum) -> Iterator[Verdict]:
    """The factor by enumeration for n = 4, and measured over 5 rounds for n = 8."""
    n, rounds, replicas = 8, 5, 4000
    problem = consensus_problem(n, 1, 47)
    exchange = RandomLinks(RandomOutNeighbour(Complete(n)))
    first, *_, last = path(build(exchange), problem, rounds, seed=48, replicas=replicas)
    u = [m.state.s - problem.x_star * m.state.w for m in (first, last)]
    left = (u[1].square().sum((-2, -1)) / u[0].square().sum((-2, -1))).numpy()
    yield same(
        "uniform gossip: factor of E||s - xbar w||^2 a round, n=4, over all 81 choices",
        enumerated_factor(4), gossip_factor(4), check="enumeration",
        words="start e_0 - e_1; no seed",
    )  # fmt: skip
    yield mean_is(
        f"uniform gossip: E||s - xbar w||^2 after {rounds} rounds is factor^{rounds}, n={n}", left,
        gossip_factor(n) ** rounds, check="uniform gossip", on=problem,
        words=f"seed 48, {replicas} replicas",
    )  # fmt: skip


def push_sum() -> tuple[Verdict, ...]:
    """Exact averages, the slowest mode, mass, mean, Perron value, uniform gossip."""
    return (
        *exact_after_rounds(),
        *exact_after_rounds(graph=Dissemination),
        *exact_after_rounds(graph=RotatingHypercube),
        ring_contraction(),
        *mass_is_kept(),
        *reaches_mean(),
        plain_averaging(),
        *uniform_gossip(),
    )


# SGP and its overlapped form: where they stop without noise, and what is in flight is not lost.
#
# With a constant column-stochastic P, right Perron vector v (entries summing to n) and
# f_i(x) = a (x - b_i)^2 / 2, w tends to v and SGP to the solution of
#
#     (I - P + \gamma a P D^{-1}) x = \gamma a P b,    D = diag(v),    z = D^{-1} x,
#
# a bias of the order gamma. Its mean is \sum_i x_i / n with \sum_i a (z_i - b_i) = 0: the mean of
# the z_i is that of the b_i whatever the graph, while row-stochastic weights weigh the f_i by
# Perron. (Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792; the solution is derived here.)


LearningBuild = Callable[[Stepsize, Exchange], Method[Any]]
Overlap = Callable[[Stepsize, MixingSequence, int], Method[Any]]
GAMMA, STEPS = 0.1, 400
STEP = ConstantStep(GAMMA)


def targets() -> tuple[Quadratic, Floats]:
    """f_i(x) = ||x - b_i||^2 / 2 in three dimensions, standard normal b_i, and b."""
    b = np.random.default_rng(53).normal(size=(DIGRAPH.n, 3))
    return Quadratic.from_arrays(torch.ones(b.shape, dtype=torch.float64), torch.from_numpy(b)), b


sgp = ClosedForms("sgp")
"""Closed forms of sgp."""


@sgp.case("fixed point", f"{STEPS} steps without noise on {DIGRAPH.name}, gamma {GAMMA}, seed 53")
def sgp_fixed_point(build: LearningBuild = SGP) -> Iterator[Verdict]:
    """All z_i against the linear system; their mean against that of the b_i."""
    problem, b = targets()
    p = DIGRAPH.matrix(0)
    v = perron(p.T) * DIGRAPH.n
    x = np.linalg.solve(np.eye(DIGRAPH.n) - p + GAMMA * p / v[None, :], GAMMA * p @ b)
    method = build(STEP, FixedLinks(DIGRAPH))
    *_, last = path(method, problem, STEPS)
    z = method.models(last.state)[0].numpy()
    yield same(
        "models stop where (I - P + gamma P / v) x = gamma P b, z = x / v", z, x / v[:, None],
        tolerance=1e-10, on=problem,
    )  # fmt: skip
    yield same(
        "the mean of the z_i is that of the minimisers b_i, whatever the graph", z.mean(0),
        b.mean(0), tolerance=1e-10, on=problem,
    )  # fmt: skip


@sgp.case("mass", f"9 steps without noise on {DIGRAPH.name}, gamma {GAMMA}, seed 53")
def overlap_keeps_mass(build: Overlap = OverlapSGP) -> Iterator[Verdict]:
    r"""Weight n and \sum x = n x_0 - \gamma \sum_s \sum_i g_i(z_i^s), flights counted."""
    problem, b = targets()
    for tau in (1, 3):
        method = build(STEP, DIGRAPH, tau)
        moved, held, due = np.zeros(3), [], []
        for moment in path(method, problem, 9):
            s, w, flight = (part[0].numpy() for part in moment.state)
            total = np.append(s.sum(0), w.sum()) + flight.sum(0)
            held.append(total)
            due.append(np.append(moved, float(DIGRAPH.n)))
            moved = moved - GAMMA * (s / w - b).sum(0)
        yield same(
            f"{tau}-OSGP: workers and flights hold weight n and all steps taken", np.array(held),
            np.array(due), on=problem,
        )  # fmt: skip


@demonstrates(
    "E34",
    "sgp",
    "parameters and weights are sent: workers come to agree (without forces, in 150 steps)",
    covers=("gossipgrad", "sgp", "subgradient-push"),
)
def e34() -> Shown:
    """Workers that start apart, no forces: those that send gradients never hear of each other."""
    method = SGP(ConstantStep(0.1), FixedLinks(DIGRAPH))
    b = consensus_problem(DIGRAPH.n, 3, 56).c[None]
    flat = torch.zeros_like(b[0])
    apart = PushState(b, torch.ones_like(b[..., :1]))
    left = []
    for form in (method, GradientSent(method)):
        *_, last = path(form, Quadratic.from_arrays(flat, flat), 150, state=apart)
        z = method.models(last.state)
        left.append(float((z - z.mean(-2, keepdim=True)).abs().max()))
    started = float((b - b.mean(-2, keepdim=True)).abs().max())
    return (
        (left[0], 0.0),
        (left[1], 0.0),
        f"the largest distance from the mean, {started:.4g} at the start",
    )


# Where subgradient-push stops: it mixes before it takes its gradient.


subgradient_push = ClosedForms("subgradient-push")
"""Closed forms of subgradient-push."""


@subgradient_push.case(
    "fixed point", f"{STEPS} steps without noise on {DIGRAPH.name}, gamma {GAMMA}, seed 53"
)
def subgradient_push_fixed_point(build: LearningBuild = SubgradientPush) -> Verdict:
    r"""Mixing first: (I - P + \gamma D^{-1} P) x = \gamma b, z = D^{-1} P x."""
    problem, b = targets()
    p = DIGRAPH.matrix(0)
    v = perron(p.T)[:, None] * DIGRAPH.n
    x = np.linalg.solve(np.eye(DIGRAPH.n) - p + GAMMA * p / v, GAMMA * b)
    method = build(STEP, FixedLinks(DIGRAPH))
    *_, last = path(method, problem, STEPS)
    return same(
        "ratios stop where (I - P + gamma P / v) x = gamma b, z = P x / v, rows divided",
        method.models(last.state)[0], p @ x / v, tolerance=1e-10, on=problem,
    )  # fmt: skip


CLOSED_FORMS = (push_sum,)

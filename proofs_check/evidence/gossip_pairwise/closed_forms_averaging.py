r"""Randomised gossip: exact laws of one tick and of many.

W = I - (e_i - e_j)(e_i - e_j)^T / 2 for a random edge, so E||W z||^2 = z^T E[W] z. On the complete
graph E W has one second eigenvalue, 1 - 1/(n-1), and every z contracts by just that in mean square
(n = 20: 0.947368). On any graph the second moment M = E z z^T obeys M' = sum_e p_e W_e M W_e, a
linear map that is iterated exactly. (Boyd, Ghosh, Prabhakar, Shah 2006.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, RandomLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.path import Path
from algorithms.topologies.random_mixing import RandomEdge, RandomMixing
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats

Build = Callable[[Exchange], Method[Any]]
Rational = list[list[Fraction]]

_ROW = "randomised-gossip"
_SEED, _REPLICAS = 61, 4096


def standing(b: Floats) -> Quadratic:
    """Consensus from the values b ``[n, d]``."""
    rows = torch.from_numpy(np.ascontiguousarray(b))
    return Quadratic.from_arrays(torch.ones_like(rows), rows, name="consensus")


def tick_laws(graph: Any) -> list[tuple[Fraction, int, int]]:
    """Probability of every ordered call (i, j): i uniform, j uniform among its neighbours."""
    n = graph.number_of_nodes()
    return [
        (Fraction(1, n * graph.degree(i)), i, j) for i in graph.nodes for j in graph.neighbors(i)
    ]


def enumerated(graph: Any) -> tuple[Rational, Rational]:
    """E W and E W^T W over all calls, in fractions."""
    n, half = graph.number_of_nodes(), Fraction(1, 2)
    mean = [[Fraction(0)] * n for _ in range(n)]
    square = [[Fraction(0)] * n for _ in range(n)]
    for p, i, j in tick_laws(graph):
        w = {(r, r): Fraction(1) for r in range(n)}
        w |= {(i, i): half, (i, j): half, (j, i): half, (j, j): half}
        columns: dict[int, list[tuple[int, Fraction]]] = {}
        for (r, c), value in w.items():
            mean[r][c] += p * value
            columns.setdefault(r, []).append((c, value))
        for entries in columns.values():  # W^T W = sum over rows r of w_r^T w_r
            for c, a in entries:
                for e, b in entries:
                    square[c][e] += p * a * b
    return mean, square


randomised_gossip = ClosedForms(_ROW)
"""Closed forms of randomised-gossip."""


@randomised_gossip.case("all pairs enumerated")
def complete_exactly(n: int = 20) -> Iterator[Verdict]:
    """Every pair of the complete graph, in fractions: E W = E W^T W = (1 - 1/(n-1)) on 1's
    complement."""
    mean, square = enumerated(nx.complete_graph(n))
    factor = Fraction(n - 2, n - 1)
    wanted = [
        [factor * ((r == c) - Fraction(1, n)) + Fraction(1, n) for c in range(n)] for r in range(n)
    ]
    description = f"all {n * (n - 1)} calls in fractions"
    meetings = RandomEdge(Complete(n))
    yield same(
        f"complete graph, n={n}: E W^T W = E W has the second eigenvalue 1 - 1/(n-1), "
        "and no other but 1",
        [float(mean != wanted), float(square != wanted)], 0.0,
        note="matrices that differ are counted, in exact fractions", words=description,
    )  # fmt: skip
    yield same(
        f"the code's E W^T W on the complete graph, n={n}: second eigenvalue 1 - 1/(n-1)",
        meetings.contraction(), float(factor), words=description,
    )  # fmt: skip


@randomised_gossip.case("all calls enumerated", "fractions")
def stated_means() -> Iterator[Verdict]:
    """``expected`` and ``expected_square`` of the code against the enumeration, on five graphs."""
    for topology, graph in _graphs():
        mean, square = enumerated(graph)
        meetings = RandomEdge(topology)
        yield same(
            f"E W and E W^T W of {meetings.name}",
            np.stack((meetings.expected(), meetings.expected_square())),
            np.array([mean, square], dtype=np.float64),
        )


def _graphs() -> tuple[tuple[StaticTopology, Any], ...]:
    return (
        (Ring(7), nx.cycle_graph(7)),
        (Star(6), nx.star_graph(5)),
        (Path(5), nx.path_graph(5)),
        (Complete(5), nx.complete_graph(5)),
        (Barbell(4), nx.barbell_graph(4, 0)),
    )


@randomised_gossip.case("closed form")
def ring_eigenvalue() -> Verdict:
    """Ring: E W = I - Laplacian/(2 n), a circulant: lambda_2 = 1 - (1 - cos(2 pi/n))/n."""
    sizes = (3, 5, 8, 16, 33)
    return same(
        "ring: lambda_2(E W) = 1 - (1 - cos(2 pi/n))/n",
        [RandomEdge(Ring(n)).contraction() for n in sizes],
        [1 - (1 - math.cos(2 * math.pi / n)) / n for n in sizes], words=f"n in {sizes}",
    )  # fmt: skip


def squares(
    build: Build, meetings: RandomMixing, b: Floats, ticks: int, replicas: int = _REPLICAS
) -> Floats:
    """sum_i ||x_i - mean of b||^2 after 0, 1, ..., ``ticks`` ticks ``[R, ticks + 1]``."""
    centre = torch.from_numpy(b.mean(axis=0))
    moments = path(build(RandomLinks(meetings)), standing(b), ticks, seed=_SEED, replicas=replicas)
    return np.stack([(m.state.x - centre).square().sum((-2, -1)).numpy() for m in moments], axis=1)


@randomised_gossip.case(
    "measured contraction", f"{_REPLICAS} replicas, seed {_SEED}", on="consensus"
)
def complete_measured(build: Build = GossipAveraging, n: int = 20, ticks: int = 12) -> Verdict:
    """Complete graph: E||z_t||^2 = (1 - 1/(n-1))^t ||z_0||^2 from any start."""
    b = np.random.default_rng(_SEED).normal(size=(n, 3))
    z = squares(build, RandomEdge(Complete(n)), b, ticks)
    return mean_is(
        f"complete graph, n={n}: E sum ||x_i - xbar||^2 falls by (1 - 1/(n-1))^{ticks} in "
        f"{ticks} ticks",
        z[:, -1] / z[:, 0], (1 - 1 / (n - 1)) ** ticks,
    )  # fmt: skip


@randomised_gossip.case(
    "exact second moment", f"{_REPLICAS} replicas, seed {_SEED}", on="consensus"
)
def second_moment_law(build: Build = GossipAveraging, ticks: int = 15) -> Iterator[Verdict]:
    """Ring, star, path, barbell: E||z_t||^2 against M' = sum_e p_e W_e M W_e, iterated exactly,
    and that under lambda_2^t."""
    for topology, graph in _graphs():
        b = np.random.default_rng(_SEED).normal(size=(topology.n, 1))
        z0 = b - b.mean(axis=0)
        moment = z0 @ z0.T
        meetings = RandomEdge(topology)
        lam, exact = meetings.contraction(), [float(np.trace(moment))]
        for _ in range(ticks):
            moment = moment_after(graph, moment)
            exact.append(float(np.trace(moment)))
        over = max(e / (exact[0] * lam**t) for t, e in enumerate(exact))
        z = squares(build, meetings, b, ticks)
        yield mean_is(
            f"{meetings.name}: E sum ||x_i - xbar||^2 after {ticks} ticks follows the "
            "exact second moment",
            z[:, -1], exact[-1], note=f"the exact curve is at most {over:.6f} times lambda_2^t",
        )  # fmt: skip


def moment_after(graph: Any, moment: Floats) -> Floats:
    """sum over calls of p W M W^T."""
    after = np.zeros_like(moment)
    for p, i, j in tick_laws(graph):
        pair = moment.copy()
        pair[[i, j]] = (pair[i] + pair[j]) / 2
        pair[:, [i, j]] = ((pair[:, i] + pair[:, j]) / 2)[:, None]
        after += float(p) * pair
    return after


@randomised_gossip.case("mean kept", f"40 ticks, 8 replicas, seed {_SEED}", on="consensus")
def mean_is_kept(build: Build = GossipAveraging) -> Verdict:
    """Every tick keeps the sum over workers, in every replica."""
    b = np.random.default_rng(_SEED).normal(size=(9, 4))
    problem = standing(b)
    moments = path(build(RandomLinks(RandomEdge(Ring(9)))), problem, 40, seed=_SEED, replicas=8)
    means = np.stack([m.state.x.mean(-2).numpy() for m in moments])
    return same("the mean over workers is kept at every tick", means, b.mean(axis=0))


@randomised_gossip.case("bound attained", on="consensus")
def slowest_mode_tick(build: Build = GossipAveraging) -> Verdict:
    """One tick from the ring's slowest mode loses exactly lambda_2(E W): the bound is attained."""
    n = 12
    b = np.cos(2 * np.pi * np.arange(n) / n)[:, None]
    meetings = RandomEdge(Ring(n))
    z = squares(build, meetings, b, 1, 16 * _REPLICAS)
    return mean_is(
        "from the slowest mode of E W one tick contracts by lambda_2(E W)", z[:, 1] / z[:, 0],
        1 - (1 - math.cos(2 * math.pi / n)) / n,
        words=f"ring of {n}, {16 * _REPLICAS} replicas, seed {_SEED}",
    )  # fmt: skip

"""Closed forms of the shared topologies: lists, periods, exponential graphs, drawn meetings.

Lists are scipy's rows of sparse matrices, degrees and edges networkx's, products numpy's; means
over meetings are sums of fractions over all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product as choices
from typing import Any

import networkx as nx
import numpy as np
import scipy.linalg
import scipy.sparse
import torch

from algorithms.core.key import Key
from algorithms.topologies.base import MixingSequence, Neighbours, Periodic, Topology, product
from algorithms.topologies.base_graph import BaseGraph
from algorithms.topologies.edges import adjacency, colouring, edges
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.given_graph import GivenGraph
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.partners import circle
from algorithms.topologies.random_mixing import Calls, RandomEdge, RandomMixing
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from proofs_check.instruments.evidence import identity
from proofs_check.shared_code.drawn_networks import (
    EVERY_ROW,
    MOST,
    ROUNDING,
    alike,
    connected_graphs,
    doubly_stochastic,
    joined,
    numbers,
)
from proofs_check.verdict import Verdict
from theory.arrays import Floats

_NAMED = "seed 17"
_Outcomes = list[tuple[Fraction, Floats]]
_UNIT = 2.0**-54  # spacing of numbers from 1/4 to 1/2


def lists_of_neighbours() -> tuple[Verdict, ...]:
    """Lists of drawn matrices against scipy's sparse rows, degrees and edges against networkx's."""
    found, due, counted, degrees = list[float](), list[float](), list[str](), list[str]()
    for n in range(1, MOST + 1):
        for parts in (1, 2, 4):
            w = doubly_stochastic(numbers(n, parts, 40), n, parts)
            near, graph = Neighbours(w), joined([w])
            found += torch.stack((near.index.double(), near.weight)).ravel().tolist()
            due += _by_scipy(w)
            graph.remove_edges_from(list(nx.selfloop_edges(graph)))
            counted += [str((near.senders, *_numbers(near.in_degree, near.out_degree)))]
            heard = tuple(tuple(sorted(graph.predecessors(i))) for i in range(n))
            ends = [d for _, d in graph.in_degree], [d for _, d in graph.out_degree]
            degrees += [str((heard, *ends))]
    for graph in connected_graphs():
        topology = _given(graph)
        near, known, colours = adjacency(topology), circle(topology), colouring(topology)
        lists = [sorted(graph.neighbors(i)) for i in range(len(graph))]
        most = max(map(len, lists))
        filled = [[*ids, *[i] * (most - len(ids))] for i, ids in enumerate(lists)]
        counted += [
            str((near.senders, edges(topology), *_numbers(known.ids, known.degrees))),
            str(any(colours[i] == colours[j] for i, j in graph.edges)),
        ]
        pairs = tuple(sorted((min(e), max(e)) for e in graph.edges))
        degrees += [
            str((tuple(map(tuple, lists)), pairs, filled, [len(ids) for ids in lists])), "False",
        ]  # fmt: skip
    return (
        identity(
            "lists of neighbours", "they are the rows of the matrix in order of ids, filled up",
            found, due, check="other implementation", tolerance=0.0, provenance="scipy's csr rows",
        ),
        alike(
            "lists of neighbours", "senders, degrees and edges are networkx's", counted, degrees,
            check="other implementation", provenance=f"networkx, {_NAMED}",
        ),
    )  # fmt: skip


def _numbers(*tensors: torch.Tensor) -> list[Any]:
    return [one.tolist() for one in tensors]


def _given(graph: Any) -> GivenGraph:
    return GivenGraph("drawn", len(graph), tuple(graph.edges))


def _by_scipy(w: Floats) -> list[float]:
    """Ids and weights ``[2, n, s]`` as numbers in a row."""
    rows = scipy.sparse.csr_matrix(w)
    most = int(np.diff(rows.indptr).max())
    ids, shares = np.tile(np.arange(len(w))[:, None], (1, most)), np.zeros((len(w), most))
    for i in range(len(w)):
        own = slice(rows.indptr[i], rows.indptr[i + 1])
        ids[i, : own.stop - own.start] = rows.indices[own]
        shares[i, : own.stop - own.start] = rows.data[own]
    return [*ids.ravel().astype(float).tolist(), *shares.ravel().tolist()]


def periods() -> tuple[Verdict, ...]:
    """Products of a period, what is stated of it and of each step, by numpy's chains of matrices
    and scipy's values."""
    found, due, said, told = list[float](), list[float](), list[str](), list[str]()
    for topology in _sequences():
        length = topology.period
        matrices = [topology.matrix(t) for t in range(length)]
        both = matrices if length > 1 else [matrices[0], np.eye(topology.n)]
        whole = np.linalg.multi_dot(both[::-1] if length > 1 else both)
        found += product(topology).ravel().tolist()
        due += whole.ravel().tolist()
        later = [topology.matrix(t + 3 * length) is w for t, w in enumerate(matrices)]
        near = [topology.neighbours(t) is topology.neighbours(t + length) for t in range(length)]
        built = topology.build_period() if isinstance(topology, Periodic) else ()
        found += [float(x) for w in matrices for x in w.ravel()]
        due += [float(x) for w in built for x in w.ravel()]
        for t, w in enumerate(built):
            lists = topology.neighbours(t)
            said.append(
                str([*lists.index.double().ravel().tolist(), *lists.weight.ravel().tolist()])
            )
            told.append(str(_by_scipy(w)))
        said.append(str((length, all(later), all(near), any(w.flags.writeable for w in matrices))))
        told.append(str((_period_of(topology), True, True, False)))
        moved = np.square(matrices[0] - np.eye(topology.n)).sum() if length == 1 else None
        found.append(-1.0 if topology.movement() is None else float(topology.movement() or 0.0))
        due.append(-1.0 if moved is None else float(moved))
        step = topology.each_step()
        static = length == 1 and isinstance(topology, Topology)
        said.append(str((step.n, step.lam is not None)))
        told.append(str((topology.n, static)))
        if isinstance(topology, Topology):
            c = topology.constants()
            values = scipy.linalg.eigvalsh(whole + whole.T) / 2
            apart = np.linalg.norm(np.eye(topology.n) - whole, 2)
            found += [c.need("lam"), c.need("lam_n"), c.need("beta")]
            due += [float(scipy.linalg.svdvals(whole)[1]), float(values[0]), float(apart)]
            found.append(-1.0 if step.lam is None else step.lam)
            due.append(float(scipy.linalg.svdvals(whole)[1]) if static else -1.0)
            same = bool(np.abs(whole - whole.T).max() < 1e-9)
            said.append(str((c.n, c.symmetric, c.statements["lam"].where)))
            where = "every step" if length == 1 else f"product of {length} steps"
            told.append(str((topology.n, same, where)))
    for units in (13, 16, 20, 27):
        said.append(str(FixedMatrix(_leaning(units)).constants().symmetric))
        told.append(str(units * _UNIT < 1e-15))
    return (
        identity(
            "periods", "product, movement and spectral constants are numpy's and scipy's", found,
            due, check="other implementation", tolerance=ROUNDING, provenance=_NAMED,
        ),
        alike(
            "periods", "length, steps that share a matrix, and where a constant holds", said, told,
            check="read off", provenance=_NAMED,
        ),
    )  # fmt: skip


def _sequences() -> Iterator[MixingSequence]:
    """Periods of 1 and more, of matrices that commute and that do not."""
    for n in (2, 4, 7):
        yield FixedMatrix(doubly_stochastic(numbers(n, 50), n, 5))
        yield FixedMatrix(np.full((n, n), 1 / n))
    yield StaticExponential(6)
    yield OnePeerExponential(8)
    yield Lazy(BaseGraph(5))
    yield Lazy(BaseGraph(7, 2))
    yield TimeVaryingDigraph.ring_by_parts(5, 3)


def _period_of(topology: MixingSequence) -> int:
    """Lengths as the sources of these sequences have them."""
    known = {OnePeerExponential: 3, TimeVaryingDigraph: 3}
    return known.get(type(topology), topology.period)


def _leaning(units: int) -> Floats:
    """A matrix whose entries 0, 1 and 1, 0 differ by so many units in the last place."""
    w = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    w[0, 1] += units * _UNIT
    return w


def exponential_graphs() -> tuple[Verdict, ...]:
    """Static exponential graphs of 1, ..., 33 workers against their definition: who is a power of
    two below n ahead, by networkx without directions, and by scipy's circulants."""
    found, due, skeletons, circles = list[float](), list[float](), list[str](), list[str]()
    for n in range(1, 34):
        hops = [2**j for j in range(n) if 2**j < n]
        w = StaticExponential(n).build()
        column = np.zeros(n)
        column[[0, *[n - hop for hop in hops]]] = float(Fraction(1, 1 + len(hops)))
        found += w.ravel().tolist()
        due += scipy.linalg.circulant(column).ravel().tolist()
        both = nx.from_numpy_array(w + w.T)
        both.remove_edges_from(list(nx.selfloop_edges(both)))
        skeletons.append(str(sorted(map(sorted, both.edges))))
        circles.append(str(sorted(map(sorted, nx.circulant_graph(n, hops).edges))))
    return (
        identity(
            "static exponential graphs", "W is scipy's circulant of equal shares", found, due,
            check="other implementation", tolerance=0.0,
            provenance="Ying et al. 2021, arXiv:2110.13363",
        ),
        alike(
            "static exponential graphs", "without directions they are networkx's circulants",
            skeletons, circles, check="other implementation",
            provenance="networkx, Ying et al. 2021, arXiv:2110.13363",
        ),
    )  # fmt: skip


def random_meetings() -> tuple[Verdict, ...]:
    """Means over all meetings in fractions, what a step contracts by, and the drawn meetings."""
    found, due, lams, values = list[float](), list[float](), list[float](), list[float]()
    for graph in connected_graphs():
        topology, n = _given(graph), len(graph)
        every: list[tuple[Calls, _Outcomes]] = [(RandomEdge(topology), _edges_of(graph))]
        if n <= 4:
            every.append((RandomOutNeighbour(topology), _pushes_of(graph)))
        for mixing, outcomes in every:
            mean = sum(float(p) * w for p, w in outcomes)
            square = sum(float(p) * w.T @ w for p, w in outcomes)
            found += [*mixing.expected().ravel(), *mixing.expected_square().ravel()]
            due += [*np.ravel(mean), *np.ravel(square)]
            found.append(mixing.movement())
            due.append(sum(float(p) * np.square(w - np.eye(n)).sum() for p, w in outcomes))
        edge, square = RandomEdge(topology), sum(float(p) * w.T @ w for p, w in every[0][1])
        lams += [edge.contraction(), edge.constants().need("lam") ** 2]
        values += 2 * [float(np.linalg.eigvalsh(square)[-2])]
    return (
        identity(
            "random meetings", "E W, E W^T W and the movement are means over all of them", found,
            due, check="all meetings", tolerance=ROUNDING, provenance="networkx, fractions",
        ),
        identity(
            "random meetings", "lam^2 is the second eigenvalue of the mean over all of them", lams,
            values, check="all meetings", tolerance=ROUNDING, provenance="networkx, numpy",
        ),
        alike(
            "random meetings", "matrices that are drawn are among those that can be", *_drawn(),
            check="drawn meetings", provenance="seed 5",
        ),
    )  # fmt: skip


def _edges_of(graph: Any) -> _Outcomes:
    """Every caller and called with its probability, and what they do."""
    n, every = len(graph), []
    for i in graph:
        for j in graph.neighbors(i):
            w = np.eye(n)
            w[np.ix_([i, j], [i, j])] = 0.5
            every.append((Fraction(1, n * graph.degree[i]), w))
    return every


def _pushes_of(graph: Any) -> _Outcomes:
    """Every choice of receivers with its probability, and what it does."""
    n, every = len(graph), []
    for receivers in choices(*(sorted(graph.neighbors(j)) for j in range(n))):
        w = np.eye(n) / 2
        w[list(receivers), range(n)] += 0.5
        every.append((Fraction(1, int(np.prod([d for _, d in graph.degree]))), w))
    return every


def _drawn() -> tuple[list[str], list[str]]:
    said, told = list[str](), list[str]()
    replicas = torch.tensor([0, 2, 5])
    for graph in (nx.path_graph(4), nx.lollipop_graph(3, 1), nx.complete_graph(2)):
        for make, outcomes in ((RandomEdge, _edges_of), (RandomOutNeighbour, _pushes_of)):
            possible = {w.tobytes() for _, w in outcomes(graph)}
            mixing: Calls = make(_given(graph))
            for t in range(5):
                drawn = mixing.draw(t, Key.seed(5), replicas)
                whole = _matrices(drawn.sources.numpy(), drawn.weights.numpy())
                many = mixing.over(range(t, t + 2), Key.seed(5), replicas)
                again = _matrices(many.sources[0], many.weights[0])
                plain = RandomMixing.over(mixing, range(t, t + 2), Key.seed(5), replicas)
                second = [_matrices(one.sources[1], one.weights[1]) for one in (many, plain)]
                kept = [w.diagonal().tolist() for w in whole]
                said += [str([w.tobytes() in possible for w in whole]), str(drawn.kept.tolist())]
                told += [str([True] * len(whole)), str(kept)]
                said.append(str(np.array_equal(np.array(whole), np.array(again))))
                said.append(str(np.array_equal(*np.array(second))))
                told += ["True", "True"]
    return said, told


def _matrices(sources: Any, weights: Any) -> Sequence[Floats]:
    """W of each replica, entry by entry."""
    made = []
    for ids, shares in zip(sources, weights, strict=True):
        w = np.zeros((len(ids), len(ids)))
        for i, (row, share) in enumerate(zip(ids, shares, strict=True)):
            np.add.at(w[i], row, share)
        made.append(w)
    return made


CLOSED_FORMS = (lists_of_neighbours, periods, exponential_graphs, random_meetings)
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: networks, and what is stated of them, are made by these."""

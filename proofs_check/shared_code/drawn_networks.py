"""Drawn matrices and graphs on which the shared network code is held to somebody else's, and the
comparison of sentences.

Weights are multiples of 1/64, so that sums of rows and columns are 1 without rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import networkx as nx
import numpy as np

from algorithms.catalogue import ROWS
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.arrays import Floats

MOST = 9
"""Workers of the largest drawn network."""

ROUNDING = 8 * MOST * float(np.finfo(np.float64).eps)
"""Rounding of what two programs find of one matrix: each is exact of a matrix that is off by n eps
in norm, and each of three matrices is formed with a rounding or two in every entry (8 n eps)."""

EVERY_ROW = tuple(row.key for row in ROWS if row.recipe)
"""Rows that run: all rest on the code that rows share."""

_SHARES = 64
_SEED = 17


def numbers(*words: int) -> np.random.Generator:
    """Generator of the numbers of one purpose, by numpy."""
    return np.random.default_rng((_SEED, *words))


def doubly_stochastic(rng: np.random.Generator, n: int, parts: int) -> Floats:
    """Convex combination of ``parts`` drawn permutation matrices ``[n, n]``; mostly not normal."""
    shares = rng.multinomial(_SHARES, np.full(parts, 1 / parts))
    return np.asarray(sum(s * np.eye(n)[rng.permutation(n)] for s in shares) / _SHARES)


def symmetric(rng: np.random.Generator, n: int, parts: int) -> Floats:
    """Mean of a drawn combination and its transpose."""
    w = doubly_stochastic(rng, n, parts)
    return (w + w.T) / 2


def circulant(rng: np.random.Generator, n: int, parts: int) -> Floats:
    """Convex combination of ``parts`` drawn cyclic shifts: normal, with eigenvalues by Fourier."""
    shares = rng.multinomial(_SHARES, np.full(parts, 1 / parts))
    shifts = rng.integers(0, n, parts)
    return np.asarray(
        sum(s * np.roll(np.eye(n), int(k), 1) for s, k in zip(shares, shifts, strict=True))
        / _SHARES
    )


def graphs(*, directed: bool = False) -> Iterator[Any]:
    """Drawn networkx graphs of 1, ..., 9 workers, without an edge to all of them."""
    for n in range(1, MOST + 1):
        for seed, p in enumerate((0.0, 0.2, 0.5, 1.0)):
            yield nx.gnp_random_graph(n, p, seed=100 * n + seed, directed=directed)


def connected_graphs() -> Iterator[Any]:
    """Those drawn graphs of two workers or more that are connected."""
    return (graph for graph in graphs() if len(graph) > 1 and nx.is_connected(graph))


def array_of(graph: Any) -> Floats:
    """Adjacency of a graph ``[n, n]``: entry i, j is 1 where there is an edge from i to j."""
    return np.asarray(nx.to_numpy_array(graph, nodelist=sorted(graph.nodes)), dtype=np.float64)


def joined(matrices: Sequence[Floats]) -> Any:
    """The union of links as a networkx graph: from j to i where i hears j in some matrix."""
    union = nx.empty_graph(matrices[0].shape[0], nx.DiGraph)
    for w in matrices:
        union.add_edges_from((int(j), int(i)) for i, j in np.argwhere(w))
    return union


def alike(
    subject: str, claim: str, found: list[str], due: list[str], *, check: str, provenance: str
) -> Verdict:
    """Agrees if what was said is what is due, text by text; the first that is not is told."""
    same = [float(one == other) for one, other in zip(found, due, strict=True)]
    apart = next((f"{f!r} for {d!r}" for f, d in zip(found, due, strict=True) if f != d), "")
    return identity(
        subject,
        claim,
        same,
        1.0,
        check=check,
        tolerance=0.0,
        note=apart[:300],
        provenance=provenance,
    )

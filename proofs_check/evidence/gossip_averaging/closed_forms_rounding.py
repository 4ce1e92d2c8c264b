"""Closed form of optimal weights as they are rounded: multiples of 2^-30 whose rows sum to 1."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from algorithms.topologies.graphs import Graph
from algorithms.topologies.grid import Grid
from algorithms.topologies.optimal_weights import FDLA, FMMC
from proofs_check.evidence.gossip_averaging.closed_forms import eight_nodes
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict

_FINE = 1 << 30


def rounded_weights() -> tuple[Verdict, ...]:
    """Fractions of the weights that the solver found, as they stand in the matrix."""
    found, due = list[float](), list[float]()
    graphs: tuple[Graph, ...] = (eight_nodes(), Grid(2, 3))
    for graph in graphs:
        a = graph.adjacency()
        for rule in (FDLA(), FMMC()):
            entries = [[Fraction(float(v)) for v in row] for row in rule.matrix(a)]
            found += [float((v * _FINE).denominator) for row in entries for v in row]
            found += [float(sum(row)) for row in (*entries, *zip(*entries, strict=True))]
            least = min(v for row in entries for v in row)
            found.append(float(rule.signed or least >= 0))
            apart = (a == 0) & ~np.eye(len(a), dtype=bool)
            found.append(1.0 - float(any(entries[i][j] for i, j in np.argwhere(apart))))
            due += [1.0] * (len(found) - len(due))
    verdict = identity(
        "optimal weights", "they are multiples of 2^-30 on edges alone, whose rows sum to 1",
        found, due, check="exact arithmetic", tolerance=0.0,
        provenance="fractions; Xiao, Boyd 2004; Boyd, Diaconis, Xiao 2004",
    )  # fmt: skip
    return (verdict,)


CLOSED_FORMS = (rounded_weights,)
COVERS = {"rounded_weights": ("fdla",)}
"""FDLA's row: both rules of optimal weights are rounded alike."""

"""Table III of survey 002: what an all-reduce of N numbers costs on n nodes, as printed.

A message of m numbers takes alpha + beta m. The logarithms are whole for powers of two only (T11).
"""

from __future__ import annotations

from math import log2
from typing import NamedTuple, final


@final
class AllReduceLine(NamedTuple):
    """One line of the table, or of those that the survey leaves out of it.

    Attributes:
        algorithm: its name, as printed.
        row: the row that stands for it.
        latency: the printed multiple of alpha, empty where the survey has no line.
        bandwidth: the printed multiple of beta N.
    """

    algorithm: str
    row: str
    latency: str = ""
    bandwidth: str = ""

    def multiples(self, n: int) -> tuple[float, float] | None:
        """The two printed formulas at n nodes, None where nothing is printed."""
        rounds, around = log2(n), 2 * (n - 1)
        values = {
            "": 0.0, "log n": rounds, "2 log n": 2 * rounds, "2(n-1)": float(around),
            "2(n-1)/n": around / n,
        }  # fmt: skip
        return (values[self.latency], values[self.bandwidth]) if self.latency else None


TABLE_III: tuple[AllReduceLine, ...] = (
    AllReduceLine("Binary tree", "allreduce-binary-tree", "2 log n", "2 log n"),
    AllReduceLine("Recursive doubling", "allreduce-recursive-doubling", "log n", "log n"),
    AllReduceLine("Ring", "allreduce-ring", "2(n-1)", "2(n-1)/n"),
    AllReduceLine("halving and doubling", "allreduce-halving-doubling"),
    AllReduceLine("double binary trees", "allreduce-double-tree"),
    AllReduceLine("hierarchical", "allreduce-hierarchical"),
    AllReduceLine("2D torus", "allreduce-2d-torus"),
)
"""The survey's three lines, then the algorithms that its text adds to them."""

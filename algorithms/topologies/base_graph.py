"""Base-(k+1) graph: exact averages of any number of workers in a few rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.topologies.base import Periodic, Topology, checked, need_workers
from algorithms.topologies.weights import Weights
from theory.arrays import Floats
from theory.networks.finite_time import base_graph, round_matrix


@final
@dataclass(frozen=True)
class BaseGraph(Periodic, Topology):
    r"""Takezawa, Sato, Bao, Niwa, Yamada 2023, arXiv:2305.11420.

    In each round a worker has at most k neighbours, and the product of one period is J whatever n;
    a period has at most 2 log_{k+1} n + 2 rounds (:mod:`theory.networks.finite_time`). A single
    round contracts nothing in the worst case; ``constants`` speaks of whole periods.

    Attributes:
        n: number of workers.
        k: most neighbours of a worker in a round.

    Raises:
        ValueError: n < 1 or k < 1.
    """

    n: int
    k: int = 1

    def __post_init__(self) -> None:
        need_workers(self.n)
        need_workers(self.k, "k")

    @property
    def name(self) -> str:
        return f"base-{self.k + 1} graph(n={self.n})"

    @property
    def period(self) -> int:
        return max(1, len(base_graph(self.n, self.k)))

    def build_period(self) -> tuple[Floats, ...]:
        rounds = base_graph(self.n, self.k) or [{}]
        return checked([round_matrix(one, self.n).astype(np.float64) for one in rounds])

    def stated_lam(self) -> float:
        return 0.0


def of_workers(n: int, weights: Weights) -> tuple[BaseGraph, ...]:
    """The one of n workers with a neighbour a round, for the gallery; its weights are its own."""
    return (BaseGraph(n),)


EXAMPLES = (BaseGraph(5), BaseGraph(6), BaseGraph(14, 2), BaseGraph(23, 3))

"""Row-stochastic weights on a directed graph: everyone takes the mean of what it hears."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.topologies.base import MixingSequence
from algorithms.topologies.random_digraph import RandomDigraph
from theory.arrays import Floats


@final
@dataclass(frozen=True)
class Averaging(MixingSequence):
    """Weights 1/(1 + in-degree): rows sum to 1 and columns need not, so that the mean is not kept.

    (Textbook weights of DeGroot 1974.) For the half of push-pull that mixes models.

    Attributes:
        graph: the sequence whose links it takes.
    """

    graph: MixingSequence

    @property
    def n(self) -> int:
        """Number of workers of the graph."""
        return self.graph.n

    @property
    def name(self) -> str:
        return f"plain averaging on {self.graph.name}"

    @property
    def period(self) -> int:
        return self.graph.period

    def matrix(self, t: int) -> Floats:
        linked = self.graph.matrix(t) > 0
        return np.asarray(linked / linked.sum(axis=1, keepdims=True), dtype=np.float64)


EXAMPLES = (Averaging(RandomDigraph(16, 0.3, seed=1)),)

"""Directed ring: worker i hears from i - 1 only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.topologies.base import PushTopology, StaticTopology, need_workers
from algorithms.topologies.weights import Weights
from theory.arrays import Floats
from theory.networks import spectra


@final
@dataclass(frozen=True)
class DirectedRing(StaticTopology, PushTopology):
    r"""Cycle of n workers in one direction: $x_i \leftarrow (x_i + x_{i-1})/2$.

    $W = (I + P)/2$ with out-degree weights 1/2, which here make it doubly stochastic and normal:
    it serves gossip as well as push-sum. lam = cos(pi / n). (Textbook graph.)

    Raises:
        ValueError: n < 1.
    """

    n: int

    def __post_init__(self) -> None:
        need_workers(self.n)

    @property
    def name(self) -> str:
        return f"directed ring(n={self.n})"

    def stated_lam(self) -> float:
        return spectra.directed_ring(self.n)

    def build(self) -> Floats:
        return (np.eye(self.n) + np.roll(np.eye(self.n), 1, axis=0)) / 2.0


def of_workers(n: int, weights: Weights) -> tuple[DirectedRing, ...]:
    """The one of n workers, for the gallery; its weights are its own."""
    return (DirectedRing(n),)

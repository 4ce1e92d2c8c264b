"""Two-dimensional torus: a grid whose rows and columns are closed to rings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import networkx as nx

from algorithms.topologies.graphs import Rectangle
from algorithms.topologies.weights import LazyWeights, MaxDegree, Weights
from theory.arrays import Floats
from theory.networks import spectra


@final
@dataclass(frozen=True)
class Torus(Rectangle):
    """rows x cols workers, worker r * cols + c at (r, c), joined to its neighbours on both rings.

    Metropolis-Hastings weights are 1/5 each where both axes have three workers or more; an axis of
    two workers has one edge, an axis of one has none. (Textbook graph.)

    Raises:
        ValueError: rows < 1 or cols < 1.
    """

    @property
    def graph_name(self) -> str:
        return f"torus({self.rows}x{self.cols})"

    def graph(self) -> Any:
        return nx.grid_2d_graph(self.rows, self.cols, periodic=True)

    def laplacian_spectrum(self) -> Floats:
        return spectra.product_laplacian(
            spectra.cycle_laplacian(self.rows), spectra.cycle_laplacian(self.cols)
        )


EXAMPLES = (Torus(4, 4, LazyWeights(MaxDegree(plus_one=False))),)


def of_workers(n: int, weights: Weights) -> tuple[Torus, ...]:
    """The most nearly square one of n workers, for the gallery; none where n is prime."""
    nearest = Torus.square(n, weights)
    return (nearest,) if nearest.rows > 1 else ()

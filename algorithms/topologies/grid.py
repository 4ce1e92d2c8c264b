"""Two-dimensional grid: a torus without the edges that close it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import networkx as nx

from algorithms.topologies.graphs import Rectangle
from algorithms.topologies.weights import Weights
from theory.arrays import Floats
from theory.networks import spectra


@final
@dataclass(frozen=True)
class Grid(Rectangle):
    """rows x cols workers, worker r * cols + c at (r, c), joined to the up to four beside it.

    (Textbook graph.)

    Raises:
        ValueError: rows < 1 or cols < 1.
    """

    @property
    def graph_name(self) -> str:
        return f"grid({self.rows}x{self.cols})"

    def graph(self) -> Any:
        return nx.grid_2d_graph(self.rows, self.cols)

    def laplacian_spectrum(self) -> Floats:
        return spectra.product_laplacian(
            spectra.path_laplacian(self.rows), spectra.path_laplacian(self.cols)
        )


def of_workers(n: int, weights: Weights) -> tuple[Grid, ...]:
    """The most nearly square one of n workers, for the gallery; none where n is prime."""
    nearest = Grid.square(n, weights)
    return (nearest,) if nearest.rows > 1 else ()

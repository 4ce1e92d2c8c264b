"""All-reduce on grids of workers: 2D torus, 2D mesh, BCube."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from algorithms.collectives.base import Collective, MessageRound, require_workers
from algorithms.collectives.hierarchical import largest_divisor
from algorithms.collectives.phases import around, by_dimension, directly, together
from theory.seconds.collectives import CollectiveCost
from theory.seconds.hierarchies import (
    bcube_cost,
    bcube_port_cost,
    mesh_cost,
    mesh_port_cost,
    torus_cost,
)


@final
@dataclass(frozen=True)
class TorusAllReduce(Collective):
    """Reduce-scatter along rows, all-reduce along columns, all-gather along rows.

    Mikami et al. 2018 (arXiv:1811.05233), Section 3.2.

    Attributes:
        rows: number of rows.
        cols: workers of a row.

    Raises:
        ValueError: fewer than one row or column.
    """

    rows: int
    cols: int

    def __post_init__(self) -> None:
        _require_grid(self.rows, self.cols)

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of workers in all."""
        return self.rows * self.cols

    @property
    def name(self) -> str:
        return f"2D torus({self.rows} x {self.cols})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        return by_dimension((self.rows, self.cols), (1, 0), 0, d, around)

    def with_workers(self, n: int) -> TorusAllReduce:
        return TorusAllReduce(*_most_square(n))

    def cost(self) -> CollectiveCost:
        return torus_cost(self.rows, self.cols)


@final
@dataclass(frozen=True)
class MeshAllReduce(Collective):
    """Halves of the vector go through rows and columns at once, one rows first, one columns first.

    Ying et al. 2018 (arXiv:1811.06992), Section 3.2: on links of their own in both dimensions,
    twice the throughput of one ring.

    Attributes:
        rows: number of rows.
        cols: workers of a row.

    Raises:
        ValueError: fewer than one row or column.
    """

    rows: int
    cols: int

    def __post_init__(self) -> None:
        _require_grid(self.rows, self.cols)

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of workers in all."""
        return self.rows * self.cols

    @property
    def name(self) -> str:
        return f"2D mesh({self.rows} x {self.cols})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        shape = (self.rows, self.cols)
        return together(
            by_dimension(shape, (0, 1), 0, d // 2, around),
            by_dimension(shape, (1, 0), d // 2, d, around),
        )

    def with_workers(self, n: int) -> MeshAllReduce:
        return MeshAllReduce(*_most_square(n))

    def cost(self) -> CollectiveCost:
        return mesh_cost(self.rows, self.cols)

    def port_cost(self) -> CollectiveCost | None:
        return mesh_port_cost(self.rows) if self.rows == self.cols else None

    @property
    def parts(self) -> int:
        return 2 * self.n


@final
@dataclass(frozen=True)
class BCubeAllReduce(Collective):
    """Workers with one port for each digit of their number; a part of the vector begins at each.

    Wang et al. 2018 (NeurIPS, BML), Section 3, on the BCube of Guo et al. 2009 (SIGCOMM): part j is
    scattered among workers that differ in digit j, then j + 1, ..., and gathered backwards, all
    parts at once.

    Attributes:
        base: ports of a switch, workers that differ in one digit.
        levels: digits, ports of a worker.

    Raises:
        ValueError: base or levels below 1.
    """

    base: int
    levels: int

    def __post_init__(self) -> None:
        if self.base < 1 or self.levels < 1:
            raise ValueError(
                f"base and levels must be at least 1, got base={self.base}, levels={self.levels}"
            )

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of workers in all."""
        return int(self.base**self.levels)

    @property
    def name(self) -> str:
        return f"BCube({self.base}^{self.levels})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        k = self.levels
        edges = [j * d // k for j in range(k + 1)]
        return together(
            *(
                by_dimension(
                    (self.base,) * k, [(j + s) % k for s in range(k)], edges[j], edges[j + 1],
                    directly,
                )
                for j in range(k)
            )
        )  # fmt: skip

    def with_workers(self, n: int) -> BCubeAllReduce:
        require_workers(n)
        base = round(n ** (1 / self.levels))
        if base**self.levels != n:
            raise ValueError(
                f"n must be a power {self.levels} of a number of ports, got n={n}; "
                f"{base**self.levels} would do"
            )
        return BCubeAllReduce(base, self.levels)

    def cost(self) -> CollectiveCost:
        return bcube_cost(self.base, self.levels)

    def port_cost(self) -> CollectiveCost:
        return bcube_port_cost(self.base, self.levels)

    @property
    def parts(self) -> int:
        return self.n * self.levels


def _require_grid(rows: int, cols: int) -> None:
    if rows < 1 or cols < 1:
        raise ValueError(f"rows and cols must be at least 1, got rows={rows}, cols={cols}")


def _most_square(n: int) -> tuple[int, int]:
    require_workers(n)
    rows = largest_divisor(n, int(n**0.5))
    return rows, n // rows

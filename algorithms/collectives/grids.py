"""All-reduce on grids of workers: 2D torus, 2D mesh, BCube."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import final

from algorithms.collectives.base import Collective, MessageRound, messages, require_workers
from algorithms.collectives.hierarchical import largest_divisor
from algorithms.collectives.phases import Rings, around, by_dimension, directly, together
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
    parts at once. Numbers of workers that are no power have levels of unequal switches.

    Attributes:
        ports: of a switch of each level, workers that differ in that digit alone; their product
            is n.

    Raises:
        ValueError: no level, or ports below 1.
    """

    ports: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.ports or min(self.ports) < 1:
            raise ValueError(f"ports must be at least 1 a level, got ports={self.ports}")

    @classmethod
    def with_levels(cls, base: int, levels: int) -> BCubeAllReduce:
        """BCube(base^levels): switches of ``base`` ports on all levels."""
        return cls((base,) * levels)

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of workers in all."""
        return prod(self.ports)

    @property
    def name(self) -> str:
        if self._even:
            return f"BCube({self.ports[0]}^{len(self.ports)})"
        return f"BCube({' x '.join(map(str, self.ports))})"

    @property
    def _even(self) -> bool:
        return len(set(self.ports)) == 1

    def rounds(self, d: int) -> Iterator[MessageRound]:
        k = len(self.ports)
        edges = [j * d // k for j in range(k + 1)]
        return together(
            *(
                by_dimension(
                    self.ports, [(j + s) % k for s in range(k)], edges[j], edges[j + 1],
                    self._level,
                )
                for j in range(k)
            )
        )  # fmt: skip

    def _level(self, rings: Rings, adds: bool) -> Iterator[MessageRound]:
        """Rounds of one digit, as many as those of the largest, so that no two parts share one."""
        yield from directly(rings, adds)
        for _ in range(max(self.ports) - rings.nodes.shape[1]):
            yield messages((), (), 0, 0, adds)

    def with_workers(self, n: int) -> BCubeAllReduce:
        require_workers(n)
        ports, left = [], n
        for levels in range(len(self.ports), 1, -1):
            ports.append(largest_divisor(left, round_root(left, levels)))
            left //= ports[-1]
        return BCubeAllReduce((*ports, left))

    def cost(self) -> CollectiveCost:
        return bcube_cost(self.ports)

    def port_cost(self) -> CollectiveCost | None:
        return bcube_port_cost(self.ports[0], len(self.ports)) if self._even else None

    @property
    def parts(self) -> int:
        return self.n * len(self.ports)


def round_root(n: int, k: int) -> int:
    """The largest whole number whose k-th power is at most n."""
    return next(root for root in range(round(n ** (1 / k)), -1, -1) if root**k <= n)


def _require_grid(rows: int, cols: int) -> None:
    if rows < 1 or cols < 1:
        raise ValueError(f"rows and cols must be at least 1, got rows={rows}, cols={cols}")


def _most_square(n: int) -> tuple[int, int]:
    require_workers(n)
    rows = largest_divisor(n, int(n**0.5))
    return rows, n // rows

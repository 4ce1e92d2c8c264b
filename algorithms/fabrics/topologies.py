"""Fabrics of data centres: a switch, a fat-tree, BCube, a torus, machines of several workers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, final

import networkx as nx

from algorithms.fabrics.base import Fabric, add_link
from theory.arrays import Ints
from theory.seconds.costs import AlphaBeta


@final
@dataclass(frozen=True)
class StarFabric(Fabric):
    """All hosts at one switch that is never full itself.

    Attributes:
        count: number of hosts.
        link: between a host and the switch; ``alpha`` is that of the whole way.

    Raises:
        ValueError: count < 1.
    """

    count: int
    link: AlphaBeta

    def __post_init__(self) -> None:
        _positive("count", self.count)

    @property
    def name(self) -> str:
        return f"star({self.count} hosts)"

    @property
    def hosts(self) -> int:
        return self.count

    @property
    def alpha(self) -> float:
        return self.link.alpha

    def graph(self) -> Any:
        graph = nx.DiGraph()
        for host in range(self.hosts):
            add_link(graph, host, "switch", self.link)
        return graph

    def route(self, source: int, target: int) -> tuple[Any, ...]:
        """From host to switch to host."""
        return (source,) if source == target else (source, "switch", target)


@final
@dataclass(frozen=True)
class FatTreeFabric(Fabric):
    """k pods of k/2 edge and k/2 upper switches, (k/2)^2 core switches: k^3/4 hosts.

    Al-Fares, Loukissas, Vahdat 2008 (SIGCOMM). All links are alike, but that ``thinned`` divides
    those to the core, as networks are that save on their upper switches.

    Attributes:
        k: ports of a switch, even.
        link: each link.
        thinned: how many times slower links between pods are.

    Raises:
        ValueError: an odd k, or one below 2; thinned below 1.
    """

    k: int
    link: AlphaBeta
    thinned: float = 1.0

    def __post_init__(self) -> None:
        if self.k < 2 or self.k % 2:
            raise ValueError(f"k must be even and at least 2, got k={self.k}")
        if not self.thinned >= 1:
            raise ValueError(f"thinned must be at least 1, got thinned={self.thinned}")

    @property
    def name(self) -> str:
        return f"fat-tree(k={self.k}, thinned {self.thinned:g})"

    @property
    def hosts(self) -> int:
        return self.k**3 // 4

    @property
    def alpha(self) -> float:
        return self.link.alpha

    def graph(self) -> Any:
        graph, half = nx.DiGraph(), self.k // 2
        up = AlphaBeta(self.link.alpha, self.link.beta * self.thinned)
        for pod, edge in product(range(self.k), range(half)):
            for port in range(half):
                add_link(graph, (pod * half + edge) * half + port, ("edge", pod, edge), self.link)
                add_link(graph, ("edge", pod, edge), ("upper", pod, port), self.link)
                add_link(graph, ("upper", pod, edge), ("core", edge, port), up)
        return graph


@final
@dataclass(frozen=True)
class BCubeFabric(Fabric):
    """b^k hosts with k ports; a switch for each digit and value of the others.

    Guo et al. 2009 (SIGCOMM). Hosts that differ in one digit are two links apart.

    Attributes:
        base: ports of a switch.
        levels: ports of a host.
        link: between a host and a switch; ``alpha`` is that of the whole way.

    Raises:
        ValueError: base or levels below 1.
    """

    base: int
    levels: int
    link: AlphaBeta

    def __post_init__(self) -> None:
        _positive("base", self.base)
        _positive("levels", self.levels)

    @property
    def name(self) -> str:
        return f"BCube fabric({self.base}^{self.levels})"

    @property
    def hosts(self) -> int:
        return int(self.base**self.levels)

    @property
    def alpha(self) -> float:
        return self.link.alpha

    def graph(self) -> Any:
        graph = nx.DiGraph()
        for host, level in product(range(self.hosts), range(self.levels)):
            weight = self.base**level
            rest = host - host // weight % self.base * weight
            add_link(graph, host, ("switch", level, rest), self.link)
        return graph


@final
@dataclass(frozen=True)
class TorusFabric(Fabric):
    """A link to each of four neighbours; messages go along their row first, then along the column.

    Attributes:
        rows: number of rows.
        cols: hosts of a row.
        link: each link.

    Raises:
        ValueError: rows or cols below 1.
    """

    rows: int
    cols: int
    link: AlphaBeta

    def __post_init__(self) -> None:
        _positive("rows", self.rows)
        _positive("cols", self.cols)

    @property
    def name(self) -> str:
        return f"torus fabric({self.rows} x {self.cols})"

    @property
    def hosts(self) -> int:
        return self.rows * self.cols

    @property
    def alpha(self) -> float:
        return self.link.alpha

    def graph(self) -> Any:
        graph = nx.DiGraph()
        graph.add_nodes_from(range(self.hosts))
        for row, col in product(range(self.rows), range(self.cols)):
            for other in (row, (col + 1) % self.cols), ((row + 1) % self.rows, col):
                if other != (row, col):
                    add_link(graph, self._host(row, col), self._host(*other), self.link)
        return graph

    def route(self, source: int, target: int) -> tuple[int, ...]:
        """Along the row the shorter way round, then along the column."""
        (row, col), (last_row, last_col) = divmod(source, self.cols), divmod(target, self.cols)
        path = [source]
        for _ in range(self.hosts):
            if col != last_col:
                col = (col + _towards(col, last_col, self.cols)) % self.cols
            elif row != last_row:
                row = (row + _towards(row, last_row, self.rows)) % self.rows
            else:
                break
            path.append(self._host(row, col))
        return tuple(path)

    def _host(self, row: int, col: int) -> int:
        return row * self.cols + col


@final
@dataclass(frozen=True)
class MachineFabric(Fabric):
    """Machines of several workers each at a PCIe switch, and one network link a machine.

    Attributes:
        machines: number of machines.
        each: workers of a machine.
        pcie: link between a worker and its switch; its alpha is that of messages within.
        network: link between a machine and the network's switch; its alpha is that of a message.

    Raises:
        ValueError: machines or each below 1.
    """

    machines: int
    each: int
    pcie: AlphaBeta
    network: AlphaBeta

    def __post_init__(self) -> None:
        _positive("machines", self.machines)
        _positive("each", self.each)

    @property
    def name(self) -> str:
        return f"machines({self.machines} of {self.each})"

    @property
    def hosts(self) -> int:
        return self.machines * self.each

    @property
    def alpha(self) -> float:
        return self.network.alpha if self.machines > 1 else self.pcie.alpha

    def graph(self) -> Any:
        graph = nx.DiGraph()
        for machine in range(self.machines):
            for worker in range(self.each):
                add_link(graph, machine * self.each + worker, ("pcie", machine), self.pcie)
            add_link(graph, ("pcie", machine), "switch", self.network)
        return graph

    def route(self, source: int, target: int) -> tuple[Any, ...]:
        """Through the machine's switch, and to another machine through the network's."""
        one, other = ("pcie", source // self.each), ("pcie", target // self.each)
        if source == target:
            return (source,)
        return (source, one, target) if one == other else (source, one, "switch", other, target)

    def start_up(self, source: Ints, target: Ints) -> float:
        """That of the network where a message leaves its machine."""
        away = bool((source // self.each != target // self.each).any())
        return self.network.alpha if away else self.pcie.alpha


def _towards(here: int, there: int, around: int) -> int:
    return 1 if (there - here) % around <= around // 2 else -1


def _positive(name: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {name}={value}")

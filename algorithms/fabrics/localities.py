"""Localities: which workers are near each other, found by probing pairs, as in PLink.

Luo, West, Nelson, Krishnamurthy, Ceze 2020 (MLSys, PLink): who rents machines does not know where
they stand. Pairs are probed, near ones are grouped, and sums go within groups first, then between
them, in groups of equal size so that no link carries more than others. Here a gap in the sorted
times of pairs tells near from far.
"""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np

from algorithms.fabrics.base import Fabric, links_between, wiring
from theory.arrays import Floats, Ints

_APART = 1.5
"""Pairs are of two kinds where the nearest far one takes so many times as long as the last near."""


def probed_seconds(fabric: Fabric, hosts: Sequence[int], bits: float) -> Floats:
    """Seconds of a message of ``bits`` between each two workers, alone ``[n, n]``; diagonal 0.

    ``hosts`` says where each worker lies, which who probes does not know.

    Raises:
        ValueError: bits is not positive, or there is no such host.
    """
    if not bits > 0:
        raise ValueError(f"bits must be positive, got bits={bits}")
    rates = wiring(fabric).rates
    seconds = np.zeros((len(hosts), len(hosts)))
    for i, source in enumerate(hosts):
        for j, target in enumerate(hosts):
            if i != j:
                start = fabric.start_up(np.array([source]), np.array([target]))
                links = list(links_between(fabric, source, target))
                seconds[i, j] = start + bits / rates[links].min()
    return seconds


def locality_groups(seconds: Floats) -> tuple[tuple[int, ...], ...]:
    """Groups of equal size of workers that are near each other, by ``seconds`` ``[n, n]`` of pairs.

    Pairs are cut where their sorted times grow by the largest factor, if that is 1.5 at least;
    groups are what near pairs join. All workers are one group where there is no such gap, and where
    groups would differ in size.

    Raises:
        ValueError: not a square of at least one worker, or a time between two that is not positive.
    """
    n = len(seconds)
    if seconds.shape != (n, n) or n < 1:
        raise ValueError(f"seconds must be [n, n] with n >= 1, got {list(seconds.shape)}")
    whole = (tuple(range(n)),)
    if n == 1:
        return whole
    slower = np.maximum(seconds, seconds.T)
    pairs = slower[np.triu_indices(n, 1)]
    if not (pairs > 0).all():
        raise ValueError(f"seconds between two workers must be positive, got {pairs.min()}")
    times = np.sort(pairs)
    factors = times[1:] / times[:-1]
    if factors.size == 0 or factors.max() < _APART:
        return whole
    near = slower <= times[factors.argmax()]
    groups = sorted(tuple(sorted(one)) for one in nx.connected_components(_graph(near)))
    return tuple(groups) if len({len(one) for one in groups}) == 1 else whole


def _graph(near: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(len(near)))
    graph.add_edges_from((int(i), int(j)) for i, j in np.argwhere(near) if i < j)
    return graph


def grouped_hosts(hosts: Sequence[int], groups: Sequence[Sequence[int]]) -> Ints:
    """Hosts of the nodes of a collective whose groups are one behind another ``[n]``."""
    return np.array([hosts[worker] for group in groups for worker in group], dtype=np.int64)

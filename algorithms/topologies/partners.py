"""Partners: whom a worker calls, drawn uniformly from its neighbours."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import networkx as nx
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.kernels.devices import put
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.edges import adjacency, edges


class Circle(NamedTuple):
    """Neighbours of every worker ``[n, s]`` in order of id, filled up with its own, and how many
    there are ``[n]``.

    Attributes:
        ids: neighbours of each worker, ascending, filled up with its own id ``[n, s]``.
        degrees: number of neighbours ``[n]``.
    """

    ids: Tensor
    degrees: Tensor


@lru_cache(maxsize=64)
def circle(topology: StaticTopology) -> Circle:
    """Whom each worker may call.

    Raises:
        ValueError: a worker without a neighbour, or edges of one direction only.
    """
    called = adjacency(topology).senders
    degrees = torch.tensor([len(ids) for ids in called])
    most = int(degrees.max())
    padded = [(*ids, *(i,) * (most - len(ids))) for i, ids in enumerate(called)]
    return Circle(torch.tensor(padded), degrees)


@lru_cache(maxsize=64)
def _circle_on(topology: StaticTopology, device: torch.device) -> Circle:
    return Circle(*(put(part, device) for part in circle(topology)))


def partners(topology: StaticTopology, key: Key, replicas: Tensor, callers: Tensor) -> Tensor:
    """A uniform neighbour of each of ``callers`` ``[..., k]``; n, nobody, calls nobody.

    Drawn for replica and caller, so that all ranks know whom anyone calls.
    """
    n = topology.n
    known = _circle_on(topology, callers.device)
    real = callers.clamp_max(n - 1)
    coins = key.draws(replicas, real).uniform(1, torch.float64)[..., 0]
    degrees = known.degrees[real]
    place = torch.minimum((coins * degrees).long(), degrees - 1)
    called = known.ids[real, place]
    return torch.where(callers < n, called, callers)


@lru_cache(maxsize=64)
def halves(topology: StaticTopology) -> tuple[bool, ...]:
    """A two-colouring: True for the half of worker 0.

    Raises:
        ValueError: the graph has a cycle of odd length.
    """
    graph = nx.Graph(edges(topology))
    if not nx.is_bipartite(graph):
        raise ValueError(
            f"topology must be bipartite, so that calls go from one half to the other, got "
            f"{topology.name}, which has a cycle of odd length; a ring of an even number would do"
        )
    colours = nx.bipartite.color(graph)
    return tuple(colours[i] == colours[0] for i in range(topology.n))

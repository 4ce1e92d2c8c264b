"""TicTac: the order in which parameters are pulled, from the graph of the next forward pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from algorithms.kernels.pull_order import timed_order
from algorithms.schedules.base import CommunicationSchedule, Messages, merged_messages
from algorithms.schedules.carrier import Carrier
from algorithms.schedules.step import TrainingStep
from theory.arrays import Floats, Ints


class GraphNode(NamedTuple):
    """An operation of a computation graph.

    Attributes:
        seconds: how long it computes.
        pulls: parameters (by index) that it uses itself.
        after: earlier nodes (by index) whose results it uses.
    """

    seconds: float
    pulls: tuple[int, ...]
    after: tuple[int, ...]


def tic_order(graph: Sequence[GraphNode], pulls: int) -> tuple[int, ...]:
    """Ranks of the pulls by TIC: all pulls alike, all operations free (Hashemi, Abdu Jyothi,
    Campbell 2019, arXiv:1803.03288, Algorithm 2)."""
    waits = _waits(graph, pulls)
    missing = waits.sum(axis=1)[:, None]
    others = np.where(waits & (missing > 1), missing, np.inf).min(axis=0, initial=np.inf)
    return tuple(int(rank) for rank in np.unique(others, return_inverse=True)[1])


def tac_order(graph: Sequence[GraphNode], transfer: Sequence[float]) -> tuple[int, ...]:
    """Ranks of the pulls by TAC, ``transfer`` seconds each (Algorithm 3 there).

    Pull a goes before b if min(P_b, M_a) < min(P_a, M_b), which is when a first, then b ends
    earlier; ties by M+.
    """
    own, after = [node.pulls for node in graph], [node.after for node in graph]
    rank = timed_order(
        np.ascontiguousarray(_waits(graph, len(transfer)).T), *_joined(own), *_joined(after),
        np.asarray([node.seconds for node in graph], dtype=np.float64),
        np.asarray(transfer, dtype=np.float64),
    )  # fmt: skip
    return tuple(rank.tolist())


def _joined(lists: Sequence[tuple[int, ...]]) -> tuple[Ints, Ints]:
    """Start of each list in their concatenation, and the concatenation."""
    begins = np.cumsum([0, *map(len, lists)])
    return begins, np.asarray([value for one in lists for value in one], dtype=np.int64)


def _waits(graph: Sequence[GraphNode], pulls: int) -> NDArray[np.bool_]:
    """Pulls that each node waits for, itself or through others ``[nodes, pulls]``."""
    waits = np.zeros((len(graph), pulls), dtype=bool)
    for i, node in enumerate(graph):
        waits[i, list(node.pulls)] = True
        for before in node.after:
            waits[i] |= waits[before]
    return waits


def forward_graph(step: TrainingStep) -> tuple[GraphNode, ...]:
    """A step's forward pass as a graph: a chain of layers, pulls in order of readiness."""
    places: dict[int, list[int]] = {}
    for k, layer in enumerate(step.layers.tolist()):
        places.setdefault(layer, []).append(k)
    return tuple(
        GraphNode(seconds, tuple(places.get(i, ())), (i - 1,) if i else ())
        for i, seconds in enumerate(step.forward)
    )


@final
@dataclass(frozen=True)
class TicTac(CommunicationSchedule):
    """Gradients are pushed as they come; parameters are pulled in the order of TIC or TAC.

    Needs a push and a pull channel: servers hold the parameters, and pulls start with the next
    step, when all pushes have arrived.

    Attributes:
        timed: TAC, which knows how long transfers and operations take; else TIC.
    """

    timed: bool = False
    barrier = False

    @property
    def name(self) -> str:
        return "TAC" if self.timed else "TIC"

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        """Gradients as they come, ranked by the order of their pulls.

        Raises:
            ValueError: the carrier has other channels than push and pull.
        """
        if len(carrier.channels) != 2:
            raise ValueError(
                f"carrier must have a push and a pull channel, got {len(carrier.channels)}; "
                "TIC and TAC order what is pulled from servers"
            )
        messages = merged_messages(step, (1,) * len(step.bits))
        graph = forward_graph(step)
        if self.timed:
            pull = carrier.channels[1]
            rank = tac_order(graph, pull.ends(np.zeros(1), step.bits, 0.0).tolist())
        else:
            rank = tic_order(graph, len(step.bits))
        return messages._replace(rank=np.asarray(rank, dtype=np.int64))

    def rank_on(self, channel: int, messages: Messages, step: TrainingStep) -> Ints:
        return messages.rank if channel else np.arange(len(messages.rank))

    def ready_behind(self, channel: int, arrivals: Floats) -> Floats:
        return np.full_like(arrivals, arrivals.max())


TIC = TicTac()
TAC = TicTac(timed=True)

SCHEDULES_BY_NAME = (("tic", TIC), ("tac", TAC))

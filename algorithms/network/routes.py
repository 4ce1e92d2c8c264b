"""Routes: gossip over fixed neighbours as one rank sees it."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from algorithms.topologies.base import Neighbours


class Routes(NamedTuple):
    """Rows to send to and receive from each rank, and local lists.

    Attributes:
        send: by rank, which of the own rows it needs, as positions here.
        receive: by rank, the worker ids whose rows it sends.
        senders: ids of all workers whose rows are here after the exchange, ascending ``[p]``.
        order: position of each of ``senders`` in the own rows followed by those received ``[p]``.
        places: positions in ``senders`` of the neighbours of each own worker ``[m, s]``.
        weights: their entries of W ``[m, s]``.
    """

    send: dict[int, Tensor]
    receive: dict[int, Tensor]
    senders: Tensor
    order: Tensor
    places: Tensor
    weights: Tensor


def plan(neighbours: Neighbours, workers: Tensor, n: int) -> Routes:
    """Routes of the rank that holds ``workers`` ``[m]``, a block of n dealt evenly in order."""
    held, device = len(workers), workers.device
    first = int(workers[0])
    rank = first // held

    def needed(rank: int, source: int) -> list[int]:
        block = range(rank * held, (rank + 1) * held)
        incoming = {j for i in block for j in neighbours.senders[i]}
        return sorted(j for j in incoming if j // held == source)

    others = [q for q in range(n // held) if q != rank]
    send = {
        q: torch.tensor(needed(q, rank), device=device) - first for q in others if needed(q, rank)
    }
    receive = {q: torch.tensor(needed(rank, q), device=device) for q in others if needed(rank, q)}
    senders, order = torch.cat((workers, *receive.values())).sort()
    place = torch.zeros(n, dtype=torch.int64, device=device)
    place[senders] = torch.arange(len(senders), device=device)
    places = place[neighbours.index.to(device)[workers]]
    weights = neighbours.weight.to(device)[workers]
    return Routes(send, receive, senders, order, places, weights)

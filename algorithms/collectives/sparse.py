"""Collectives of sparse vectors: every list of entries to everybody, or lists merged on the way.

Renggli et al. 2019 (SC, SparCML; arXiv:1802.08021), Section 5. A merged list is as long as the
union of its entries, so any program of messages runs on sparse vectors: each message then holds the
entries that its source has, or all numbers of its slice where that is shorter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.collectives.base import (
    Collective,
    MessageRound,
    bounds,
    executed,
    messages,
    require_workers,
)
from theory.seconds.collectives import CollectiveCost
from theory.seconds.sparse_times import gather_cost


@final
@dataclass(frozen=True)
class SparseAllGather(Collective):
    """All lists to all workers; each adds them up for itself.

    The vector is the lists of workers 0, 1, ... one behind another, of which each worker gives its
    own; lists of k entries are k numbers and k indices long. Bruck et al. 1997 (IEEE TPDS 8): in
    round s everybody sends the 2^s lists that it has, fewer in the last, to who is 2^s before it.

    Attributes:
        n: number of workers.

    Raises:
        ValueError: n < 1.
    """

    n: int

    def __post_init__(self) -> None:
        require_workers(self.n)

    @property
    def name(self) -> str:
        return f"sparse all-gather(n={self.n})"

    def gives(self, d: int) -> Tensor:
        edges = torch.from_numpy(bounds(d, self.n))
        place = torch.arange(d)
        return (edges[:-1, None] <= place) & (place < edges[1:, None])

    def rounds(self, d: int) -> Iterator[MessageRound]:
        edges, worker = bounds(d, self.n), np.arange(self.n)
        for step in (1 << s for s in range((self.n - 1).bit_length())):
            lists = min(step, self.n - step)
            last = worker + lists
            before, after = np.minimum(last, self.n), np.maximum(last - self.n, 0)
            source, target = np.tile(worker, 2), np.tile((worker - step) % self.n, 2)
            start, stop = np.append(edges[worker], edges[0 * worker]), np.append(before, after)
            yield messages(source, target, start, edges[stop], False)

    def with_workers(self, n: int) -> SparseAllGather:
        return SparseAllGather(n)

    def cost(self) -> CollectiveCost:
        return gather_cost(self.n)


def merged_path(
    program: Iterable[MessageRound], support: Tensor, entry: int = 2
) -> tuple[int, int]:
    """Rounds, and numbers that cross one after another, when lists are merged on the way.

    ``support`` ``[nodes, d]`` says which entries each node has at first. An entry is ``entry``
    numbers long, value and index; a slice that is full enough goes as it is. Every node sends and
    receives one message a round.

    Raises:
        ValueError: entry < 1.
    """
    if entry < 1:
        raise ValueError(f"entry must be at least 1 number, got entry={entry}")
    held, rounds, path = support.int(), 0, 0
    for one in program:
        if one.source.size:
            before = torch.cat([torch.zeros(len(held), 1, dtype=torch.int64), _counts(held)], 1)
            source = torch.from_numpy(one.source)
            ends = (torch.from_numpy(end) for end in (one.stop, one.start))
            stop, start = (before[source, end] for end in ends)
            lengths = torch.minimum(entry * (stop - start), torch.from_numpy(one.lengths))
            rounds, path = rounds + 1, path + int(lengths.max())
            held = executed([one], held).clamp(max=1)
    return rounds, path


def _counts(held: Tensor) -> Tensor:
    return held.cumsum(-1, dtype=torch.int64)

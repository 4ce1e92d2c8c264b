"""Collectives of sparse vectors: every list of entries to everybody, or lists merged on the way.

Renggli et al. 2019 (SC, SparCML; arXiv:1802.08021), Section 5. A merged list is as long as the
union of its entries, so any program of messages runs on sparse vectors: each message then holds the
entries that its source has, or all numbers of its slice where that is shorter
(:mod:`algorithms.collectives.sparse_lists`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.collectives.base import Collective, MessageRound, bounds, messages, require_workers
from theory.seconds.collectives import CollectiveCost
from theory.seconds.sparse_times import gather_cost, split_gather_cost


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
        return _gathered(self.n, d)

    def with_workers(self, n: int) -> SparseAllGather:
        return SparseAllGather(n)

    def cost(self) -> CollectiveCost:
        return gather_cost(self.n)


def _gathered(n: int, d: int) -> Iterator[MessageRound]:
    """Worker i has part i of n, at the end everybody all of them."""
    edges, worker = bounds(d, n), np.arange(n)
    for step in (1 << s for s in range((n - 1).bit_length())):
        lists = min(step, n - step)
        last = worker + lists
        before, after = np.minimum(last, n), np.maximum(last - n, 0)
        source, target = np.tile(worker, 2), np.tile((worker - step) % n, 2)
        start, stop = np.append(edges[worker], edges[0 * worker]), np.append(before, after)
        yield messages(source, target, start, edges[stop], False)


@final
@dataclass(frozen=True)
class SplitGather(Collective):
    """Part i of every list straight to worker i, who adds them up; then all parts to everybody.

    SparCML's split and all-gather (Section 5.3.2), for lists that fill up when merged: an entry
    that many workers kept crosses once each way, where doubling carries it log2 n times.

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
        return f"split and all-gather(n={self.n})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        edges, worker = bounds(d, self.n), np.arange(self.n)
        for far in range(1, self.n):
            owner = (worker + far) % self.n
            yield messages(worker, owner, edges[owner], edges[owner + 1], True)
        yield from _gathered(self.n, d)

    def with_workers(self, n: int) -> SplitGather:
        return SplitGather(n)

    def cost(self) -> CollectiveCost:
        return split_gather_cost(self.n)

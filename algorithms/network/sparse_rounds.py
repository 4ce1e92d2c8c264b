"""Programs on lists of entries over real ranks: every list is sent and received as it is.

Before a message its length crosses, one integer, since only its sender knows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.collectives.base import MessageRound
from algorithms.collectives.sparse_lists import SparseList, packed, taken, unpacked
from algorithms.network.pairwise import Addressed, cross
from algorithms.network.ranks import place


@final
class ListOnRank(NamedTuple):
    """Result of a program on lists at a rank, and the bytes of lists that it moved.

    Attributes:
        held: its list.
        sent: bytes of lists that went out.
        received: bytes of lists that came in.
        lengths: bytes of their lengths that went out.
    """

    held: SparseList
    sent: int
    received: int
    lengths: int


def exchanged_lists(
    program: Iterable[MessageRound], mine: SparseList, keep: int | None = None
) -> ListOnRank:
    """This rank's part of a program on lists whose nodes are the ranks; ``keep`` limits lengths.

    All ranks must call it with the same program; values are of 64 bits.

    Raises:
        RuntimeError: torch.distributed is not initialised.
    """
    rank, _ = place()
    held, sent, received, lengths = mine, 0, 0, 0
    for one in program:
        before = held
        slices = list(zip(one.start.tolist(), one.stop.tolist(), strict=True))
        out = np.flatnonzero(one.source == rank)
        into = np.flatnonzero(one.target == rank)
        parcels = [torch.from_numpy(packed(before.within(*slices[i]), *slices[i])) for i in out]
        counts = [torch.tensor([parcel.numel()]) for parcel in parcels]
        rooms = [torch.zeros(1, dtype=torch.int64) for _ in into]
        cross(_each(one.target[out], counts), _each(one.source[into], rooms))
        full = [torch.empty(int(room), dtype=_type(mine)) for room in rooms]
        cross(_each(one.target[out], parcels), _each(one.source[into], full))
        for i, message in zip(into, full, strict=True):
            came = unpacked(message.numpy(), *slices[i])
            held = taken(held, came, one.adds, slices[i], keep)
        sent += sum(8 * parcel.numel() for parcel in parcels)
        received += sum(8 * message.numel() for message in full)
        lengths += 8 * len(counts)
    return ListOnRank(held, sent, received, lengths)


def _type(entries: SparseList) -> torch.dtype:
    return torch.from_numpy(entries.values[:0]).dtype


def _each(ranks: Iterable[int], messages: list[Tensor]) -> Iterator[Addressed]:
    """Messages beside the ranks that they go to or come from."""
    return zip(map(int, ranks), messages, strict=True)

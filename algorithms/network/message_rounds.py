"""Programs of messages on real ranks: every node is a rank, every slice is sent and received."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol, final

import torch
from torch import Tensor

from algorithms.collectives.base import MessageRound
from algorithms.network.pairwise import cross
from algorithms.network.ranks import place


class ProgramOfRanks(Protocol):
    """An all-reduce whose nodes are the ranks; every ``Collective`` is one.

    A protocol, so that what runs on ranks does not depend on all collectives there are.
    """

    @property
    def name(self) -> str:
        """Name in reports and errors."""
        ...

    @property
    def nodes(self) -> int:
        """Number of ranks that take part."""
        ...

    def rounds(self, length: int, /) -> Iterable[MessageRound]:
        """The rounds of messages that sum vectors of so many elements."""
        ...


@final
class SummedOnRanks(NamedTuple):
    """Result of a program on a rank, and the bytes that the rank sent and received.

    Attributes:
        held: its vector ``[d]``.
        sent: bytes that went out.
        received: bytes that came in.
    """

    held: Tensor
    sent: int
    received: int


def exchanged(program: Iterable[MessageRound], mine: Tensor) -> SummedOnRanks:
    """This rank's part of a program whose nodes are the ranks, on its vector ``[d]``.

    All ranks must call it with the same program. Slices between two ranks in a round are one
    message.

    Raises:
        RuntimeError: torch.distributed is not initialised.
    """
    rank, _ = place()
    held, sent, received = mine.clone(), 0, 0
    for one in program:
        out = _slices(one, one.source == rank, one.target)
        into = _slices(one, one.target == rank, one.source)
        parcels = {to: torch.cat([held[s] for s in slices]) for to, slices in out.items()}
        rooms = {
            whence: held.new_empty(sum(s.stop - s.start for s in slices))
            for whence, slices in into.items()
        }
        cross(parcels.items(), rooms.items())
        for whence, slices in into.items():
            parts = torch.split(rooms[whence], [s.stop - s.start for s in slices])
            for where, part in zip(slices, parts, strict=True):
                held[where] = held[where] + part if one.adds else part
        sent += sum(parcel.numel() * parcel.element_size() for parcel in parcels.values())
        received += sum(room.numel() * room.element_size() for room in rooms.values())
    return SummedOnRanks(held, sent, received)


def _slices(
    one: MessageRound, mine: Iterable[bool], others: Iterable[int]
) -> dict[int, list[slice]]:
    """The slices of a round that touch this rank, by the rank at the other end."""
    found: dict[int, list[slice]] = {}
    for own, other, start, stop in zip(mine, others, one.start, one.stop, strict=True):
        if own:
            found.setdefault(int(other), []).append(slice(int(start), int(stop)))
    return found

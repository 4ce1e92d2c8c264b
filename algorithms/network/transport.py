"""Transport: packed messages between the ranks of torch.distributed, and their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import final

import torch
import torch.distributed as dist
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.entries import Entries
from algorithms.network.backend_threads import hand_over, wait_for_release
from algorithms.network.base import Packet
from algorithms.network.message_rounds import ProgramOfRanks, exchanged
from algorithms.network.pairwise import cross
from algorithms.network.phases import Phase, PhaseClock
from algorithms.network.wire import WireMessage

_LONG = 1 << 16
"""Bytes of a message that is worth the wait until the backend has let go of it."""


def message_of(packet: Packet) -> WireMessage:
    """Packed bytes of the rows ``[m, ...]`` of a packet, and their lengths where they vary."""
    packed = packet.code.pack(packet.symbols).movedim(-2, 0).contiguous()
    bits = packet.bits
    if isinstance(bits, int):
        return WireMessage(packed, None, bits)
    lengths = bits.expand(packed.movedim(0, -2).shape[:-1]).movedim(-1, 0).contiguous()
    return WireMessage(packed, lengths, 0)


def rows_of(packet: Packet, message: WireMessage, senders: Tensor) -> Tensor:
    """Decoded rows ``[..., k, d]`` of a message from ``senders``, packed as ``packet`` is."""
    symbols, sends = symbols_of(packet, message)
    return packet.decode(symbols, senders, sends)


def symbols_of(packet: Packet, message: WireMessage) -> tuple[Symbols, Tensor | None]:
    """The symbols of a message packed as ``packet`` is, and which rows sent at all."""
    wire = message.packed.movedim(0, -2).contiguous()
    if message.lengths is None:
        return packet.code.unpack(wire), None
    lengths = message.lengths.movedim(0, -1)
    sends = None if packet.sends is None else lengths > 0
    fixed = packet.code.fixed_bits
    if fixed is not None and wire.shape[-1] < -(-fixed // 8):  # nobody sent
        wire = wire.new_zeros((*wire.shape[:-1], -(-fixed // 8)))
    return packet.code.unpack(wire, lengths), sends


def mean_of(
    packet: Packet,
    messages: Iterable[WireMessage],
    senders: Tensor,
    total: Tensor | None = None,
) -> Tensor:
    """Mean ``[..., 1, d]`` of rows of ``senders`` ``[n]``, given in order in several messages.

    Messages are read one after another; beside the sum at most one decoded row is held. It is
    written over ``total`` ``[..., d]`` where that is given.
    """
    total = _zeros(packet, senders) if total is None else total.zero_()
    start = 0
    for message in messages:
        subset = senders[start : start + message.packed.shape[0]]
        start += len(subset)
        if _added_as_read(packet, message, total, subset):
            del message  # before the next one arrives
            continue
        symbols, sends = symbols_of(packet, message)
        del message  # before a row is decoded
        packet.add_onto(total, symbols, subset, sends)
        del symbols
    return total.div_(len(senders))[..., None, :]


def row_of(packet: Packet, message: WireMessage, sender: Tensor) -> Tensor:
    """The row ``[..., 1, d]`` of one ``sender`` ``[1]``, as others read it off the message."""
    row = _zeros(packet, sender)
    if _added_as_read(packet, message, row, sender):
        return row[..., None, :]
    del row
    return rows_of(packet, message, sender)


def _zeros(packet: Packet, like: Tensor) -> Tensor:
    shape = (*packet.replicas.shape, packet.d)
    return torch.zeros(shape, dtype=packet.dtype, device=like.device)


def _added_as_read(packet: Packet, message: WireMessage, total: Tensor, senders: Tensor) -> bool:
    """Add rows to ``total`` ``[..., d]`` piece by piece off their message, where that can be."""
    return _rows_added(packet, message, total) or _lists_added(packet, message, total, senders)


def _lists_added(packet: Packet, message: WireMessage, total: Tensor, senders: Tensor) -> bool:
    """Add the lists of a message of one row to ``total``; whether it is that."""
    if packet.sends is not None or message.packed.shape[:-1].numel() != 1:
        return False
    bits = slice(0, int(message.bits_by_row()))
    draws = packet.key.draws(packet.replicas, senders)
    flat = message.packed.reshape(-1)
    pieces = packet.compressor.lists_in(flat, bits, packet.d, packet.dtype, draws)
    for piece in pieces or ():
        Entries(piece.count, piece.positions).spread_onto(total[..., None, :], piece.values)
    return pieces is not None


def _rows_added(packet: Packet, message: WireMessage, total: Tensor) -> bool:
    """Add the rows that a message consists of to ``total`` ``[..., d]``; whether it does."""
    if packet.sends is not None:
        return False
    wire = message.packed.movedim(0, -2)
    lengths = None if message.lengths is None else message.lengths.movedim(0, -1)
    parts = packet.compressor.sent_rows(wire, lengths, packet.d, packet.dtype)
    for here, part in parts or ():
        for row in part.unbind(-2):
            total[..., here] += row
    return parts is not None


@final
class Transport:
    """Carries messages between ``ranks`` ranks, of which this one is ``rank``.

    ``header_bytes`` counts the lengths that came here ahead of messages that vary in length; the
    clock ``phases`` takes the time in which anything crosses; ``program_bytes`` are those that this
    rank sent in collectives that are played message by message.

    Raises:
        RuntimeError: torch.distributed is not initialised.
    """

    def __init__(self, phases: PhaseClock | None = None) -> None:
        if not dist.is_initialized():
            raise RuntimeError("torch.distributed is not initialised; start ranks with launch()")
        self.rank, self.ranks = dist.get_rank(), dist.get_world_size()
        self.header_bytes = 0
        self.program_bytes = 0
        self._phases = phases

    def meet(self) -> None:
        """Return when all ranks are here."""
        dist.barrier()

    def _crossing(self, *handed: Tensor) -> AbstractContextManager[None]:
        """Times what crosses; ``handed`` are the tensors that a collective is given."""
        hand_over(*handed)
        clock = self._phases
        return nullcontext() if clock is None else clock.during(Phase.COMMUNICATE)

    def add_up(self, rows: Tensor, how: ProgramOfRanks | None = None) -> None:
        """Replace rows by their sum over all ranks: by the backend's own all-reduce, or message by
        message as a program ``how`` of so many nodes says."""
        with self._crossing(rows):
            if how is None:
                dist.all_reduce(rows)
                return
            summed = exchanged(how.rounds(rows.numel()), rows.reshape(-1))
            self.program_bytes += summed.sent
            rows.copy_(summed.held.view_as(rows))

    def from_first(self, message: WireMessage) -> Tensor:
        """The bytes of rank 0's message; elsewhere only its shape is read, and lengths are set."""
        if message.lengths is not None:
            with self._crossing(message.lengths):
                dist.broadcast(message.lengths, 0)
        flat = message.flat() if self.rank == 0 else message.blank()
        with self._crossing(flat):
            dist.broadcast(flat, 0)
        return flat

    def gather_rows(self, rows: Tensor) -> Tensor:
        """All workers' rows ``[n, ...]`` from those held here ``[m, ...]``."""
        parts = [torch.empty_like(rows) for _ in range(self.ranks)]
        with self._crossing(rows, *parts):
            dist.all_gather(parts, rows)
        return torch.cat(parts)

    def arriving(self, mine: WireMessage, room: int) -> Iterator[WireMessage]:
        """Every rank's message, in the order of ranks.

        Messages of one length cross together where all of them take at most ``room`` bytes; else
        one rank's after another, so that only one is held. Where lengths vary they go ahead.
        """
        if mine.lengths is None and self.ranks * mine.packed.numel() <= room:
            parts = [torch.empty_like(mine.packed) for _ in range(self.ranks)]
            with self._crossing(mine.packed, *parts):
                dist.all_gather(parts, mine.packed)
            yield from (mine._replace(packed=part) for part in parts)
            return
        for rank, empty in enumerate(self._announced(mine)):
            flat = mine.flat() if rank == self.rank else empty.blank()
            with self._crossing(flat):
                dist.broadcast(flat, rank)
            if flat.numel() >= _LONG:  # else it lives on while the next message arrives
                wait_for_release(flat)
            held = [empty.filled(flat)]
            del flat
            yield held.pop()  # which is the reader's alone

    def later(
        self, mine: WireMessage | None, width: int | None, device: torch.device
    ) -> torch.futures.Future[list[WireMessage | None]]:
        """Messages of one row of every rank, None of a rank that has none; they cross meanwhile.

        ``width`` [bits] is that of all; None: they vary, and the call waits for their lengths.
        """
        bits = torch.zeros((1, 1), dtype=torch.int64, device=device)
        if mine is not None:
            bits += mine.bits_by_row()
        lengths = [bits.fill_(width)] * self.ranks if width is not None else self._all_lengths(bits)
        longest = max(-(-int(length) // 8) for length in lengths)
        parts = [torch.zeros(1 + longest, dtype=torch.uint8, device=device) for _ in lengths]
        if mine is not None:
            flat = mine.flat()
            parts[self.rank][0] = 1
            parts[self.rank][1 : 1 + flat.numel()] = flat
        hand_over(*parts)
        work = dist.all_gather(parts, parts[self.rank], async_op=True)

        def unwrapped(_: object) -> list[WireMessage | None]:
            return [
                WireMessage(part[None, None, 1:], None if width is not None else length, width or 0)
                if part[0]
                else None
                for part, length in zip(parts, lengths, strict=True)
            ]

        hand_over(unwrapped)
        future: torch.futures.Future[list[WireMessage | None]] = work.get_future().then(unwrapped)
        return future

    def _announced(self, mine: WireMessage) -> list[WireMessage]:
        """A message of every rank's lengths; its bytes are those of the own one."""
        if mine.lengths is None:
            return [mine] * self.ranks
        return [mine._replace(lengths=theirs) for theirs in self._all_lengths(mine.lengths)]

    def _all_lengths(self, mine: Tensor) -> list[Tensor]:
        lengths = [torch.empty_like(mine) for _ in range(self.ranks)]
        with self._crossing(mine, *lengths):
            dist.all_gather(lengths, mine)
        self.header_bytes += mine.nbytes * (self.ranks - 1)
        return lengths

    def swap(
        self, out: dict[int, WireMessage], awaited: dict[int, WireMessage]
    ) -> dict[int, WireMessage]:
        """Arrivals from each rank of ``awaited``, empty messages of the right shape, in return
        for ``out``; lengths go ahead where they vary."""
        if any(part.lengths is not None for part in (*out.values(), *awaited.values())):
            self._meet(
                {q: part.lengths for q, part in out.items() if part.lengths is not None},
                {q: part.lengths for q, part in awaited.items() if part.lengths is not None},
            )
            self.header_bytes += sum(
                part.lengths.nbytes for part in awaited.values() if part.lengths is not None
            )
        flats = {q: part.blank() for q, part in awaited.items()}
        self._meet({q: part.flat() for q, part in out.items()}, flats)
        return {q: part.filled(flats[q]) for q, part in awaited.items()}

    def _meet(self, out: dict[int, Tensor], buffers: dict[int, Tensor]) -> None:
        """Send and receive, each rank with each at once; empty tensors stay at home."""
        with self._crossing():
            cross(out.items(), buffers.items())

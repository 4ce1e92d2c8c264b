"""Transport: packed messages between the ranks of torch.distributed, and their rows."""

from __future__ import annotations

from typing import final

import torch
import torch.distributed as dist
from torch import Tensor

from algorithms.network.base import Packet
from algorithms.network.wire import WireMessage


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
    wire = message.packed.movedim(0, -2).contiguous()
    if message.lengths is None:
        return packet.decode(packet.code.unpack(wire), senders)
    lengths = message.lengths.movedim(0, -1)
    sends = None if packet.sends is None else lengths > 0
    fixed = packet.code.fixed_bits
    if fixed is not None and wire.shape[-1] < -(-fixed // 8):  # nobody sent
        wire = wire.new_zeros((*wire.shape[:-1], -(-fixed // 8)))
    return packet.decode(packet.code.unpack(wire, lengths), senders, sends)


@final
class Transport:
    """Carries messages between ``ranks`` ranks, of which this one is ``rank``.

    ``header_bytes`` counts the lengths that came here ahead of messages that vary in length.

    Raises:
        RuntimeError: torch.distributed is not initialised.
    """

    def __init__(self) -> None:
        if not dist.is_initialized():
            raise RuntimeError("torch.distributed is not initialised; start ranks with launch()")
        self.rank, self.ranks = dist.get_rank(), dist.get_world_size()
        self.header_bytes = 0

    def add_up(self, rows: Tensor) -> None:
        """Replace rows by their sum over all ranks, with all-reduce."""
        dist.all_reduce(rows)

    def from_first(self, message: WireMessage) -> Tensor:
        """The bytes of rank 0's message; elsewhere only its shape is read, and lengths are set."""
        if message.lengths is not None:
            dist.broadcast(message.lengths, 0)
        flat = message.flat() if self.rank == 0 else message.blank()
        dist.broadcast(flat, 0)
        return flat

    def gather_rows(self, rows: Tensor) -> Tensor:
        """All workers' rows ``[n, ...]`` from those held here ``[m, ...]``."""
        parts = [torch.empty_like(rows) for _ in range(self.ranks)]
        dist.all_gather(parts, rows)
        return torch.cat(parts)

    def exchange(self, mine: WireMessage) -> list[WireMessage]:
        """Every rank's message. Lengths go ahead where they vary; then each rank's bytes."""
        if mine.lengths is None:
            parts = [torch.empty_like(mine.packed) for _ in range(self.ranks)]
            dist.all_gather(parts, mine.packed)
            return [mine._replace(packed=part) for part in parts]
        lengths = [torch.empty_like(mine.lengths) for _ in range(self.ranks)]
        dist.all_gather(lengths, mine.lengths)
        self.header_bytes += sum(part.nbytes for q, part in enumerate(lengths) if q != self.rank)
        messages = []
        for rank, their in enumerate(lengths):
            theirs = mine._replace(lengths=their)
            flat = mine.flat() if rank == self.rank else theirs.blank()
            dist.broadcast(flat, rank)
            messages.append(theirs.filled(flat))
        return messages

    def swap(
        self, out: dict[int, WireMessage], awaited: dict[int, WireMessage]
    ) -> dict[int, WireMessage]:
        """What arrives from each rank of ``awaited``, empty messages of the right shape, in return
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
        operations = [
            dist.P2POp(dist.isend, part.contiguous(), q) for q, part in out.items() if part.numel()
        ] + [dist.P2POp(dist.irecv, buffer, q) for q, buffer in buffers.items() if buffer.numel()]
        for work in dist.batch_isend_irecv(operations) if operations else ():
            work.wait()

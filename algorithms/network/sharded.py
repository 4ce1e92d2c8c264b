"""The real run: each rank of torch.distributed holds n / ranks workers; packed bytes cross.

Averages take every worker's packed message and sum locally in the order of worker ids, as they are
decoded, so the iterates equal the simulation's bit for bit; ``reduce`` sums decoded rows by an
all-reduce, equal to rounding only. Gossip sends packed rows to the ranks that hold a neighbour.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.mean import mean_rows
from algorithms.kernels.mixing import mix
from algorithms.network.base import (
    Exchanged,
    Network,
    Packet,
    check_workers,
    in_neighbours,
    only_present,
)
from algorithms.network.message_rounds import ProgramOfRanks
from algorithms.network.phases import PhaseClock, crossing
from algorithms.network.receive_pattern import ReceivePattern
from algorithms.network.routes import Routes, plan
from algorithms.network.transport import Transport, mean_of, message_of, rows_of
from algorithms.network.wire import WireMessage
from algorithms.topologies.base import Neighbours


def _on_cpu(amount: int | Tensor) -> int | Tensor:
    return amount.cpu() if isinstance(amount, Tensor) else amount


@final
class Sharded(Network):
    """Worker ids are dealt in consecutive blocks. The server is replicated: every rank takes its
    step, but what the workers read of it comes from rank 0.

    ``crossed_bytes`` ``[n + 1]`` counts, by sender, the server last, the payload bytes that reached
    this rank from others, measured on what was received; ``received_bytes`` those of them that were
    for the workers here: from the server or a neighbour, not what workers sent to the server.
    ``header_bytes`` are the lengths sent ahead of messages that vary in length.

    Raises:
        ValueError: n workers do not spread evenly over the ranks; a collective of other nodes.
        RuntimeError: torch.distributed is not initialised.
    """

    def __init__(
        self,
        n: int,
        *,
        reduce: bool | ProgramOfRanks = False,
        device: torch.device | str = "cpu",
        phases: PhaseClock | None = None,
    ) -> None:
        check_workers(n)
        self.phases = phases
        self._transport = Transport(phases)
        self.rank, self.ranks = self._transport.rank, self._transport.ranks
        if n % self.ranks:
            raise ValueError(
                f"n={n} workers do not spread evenly over {self.ranks} ranks; a number of ranks "
                f"that divides {n} would do"
            )
        if not isinstance(reduce, bool) and reduce.nodes != self.ranks:
            raise ValueError(f"reduce must have {self.ranks} nodes, one a rank, got {reduce.name}")
        self.n = n
        self.held_rows = n // self.ranks
        first = self.rank * self.held_rows
        self.workers = torch.arange(first, first + self.held_rows, device=device)
        self.everyone = torch.arange(n, device=device)
        self.reduce = reduce
        self.restart()
        self._routes: dict[int, tuple[Neighbours, Routes]] = {}

    def restart(self) -> None:
        super().restart()
        self.crossed_bytes = torch.zeros(self.n + 1, dtype=torch.int64)
        self.received_bytes = 0
        self._transport.header_bytes = self._transport.program_bytes = 0

    def meet(self) -> None:
        self._transport.meet()

    @property
    def program_bytes(self) -> int:
        """Bytes that this rank sent in a collective that is played message by message."""
        return self._transport.program_bytes

    @property
    def header_bytes(self) -> int:
        """Bytes of the lengths sent ahead of messages that vary in length."""
        return self._transport.header_bytes

    @crossing
    def average(self, packet: Packet) -> Exchanged:
        if self.reduce:
            self.ledger.upload(packet.bits, packet.messages)
            own = packet.own(self.workers)
            total = own.sum(-2, keepdim=True)
            self._transport.add_up(total, None if isinstance(self.reduce, bool) else self.reduce)
            return Exchanged(total / self.n, own)
        own = packet.own(self.workers)
        return Exchanged(self.mean(packet, self.upload(packet)), own)

    def upload(self, packet: Packet) -> WireMessage:
        """Charge a packet and write it as the bytes that cross; its symbols may go then."""
        self.ledger.upload(packet.bits, packet.messages)
        return message_of(packet)

    def mean(self, packet: Packet, mine: WireMessage) -> Tensor:
        """Mean ``[..., 1, d]`` of what all workers uploaded, of whom ``mine`` live here.

        Beside it, and one rank's message, at most one decoded row is held: messages that take more
        room than a row in all cross one rank's after another.
        """
        room = packet.replicas.numel() * packet.d * torch.finfo(packet.dtype).bits // 8
        return mean_of(packet, self._arriving(mine, room), self.everyone)

    def later(
        self, mine: WireMessage | None, width: int | None
    ) -> torch.futures.Future[list[WireMessage | None]]:
        """Every rank's message of one row, see ``Transport.later``; :meth:`arrived` counts them."""
        return self._transport.later(mine, width, self.workers.device)

    def arrived(self, messages: Iterable[WireMessage]) -> int:
        """Count the bytes of messages of all ranks in order; how many came from others."""
        before = int(self.crossed_bytes.sum())
        for rank, part in enumerate(messages):
            self._note_arrival(rank, part)
        return int(self.crossed_bytes.sum()) - before

    @crossing
    def gather(self, packet: Packet) -> Exchanged:
        parts = list(self._arriving(self.upload(packet), sys.maxsize))
        rows = rows_of(packet, WireMessage.cat(parts), self.everyone)
        own = rows[..., self.workers[0] : self.workers[0] + self.held_rows, :]
        return Exchanged(rows, own)

    @crossing
    def publish(self, packet: Packet) -> Tensor:
        self.ledger.receive(packet.bits, packet.messages)
        message = message_of(packet)
        flat = self._transport.from_first(message)
        if self.rank != 0:
            self._count(self.server, torch.tensor([flat.numel()]))
        return rows_of(packet, message.filled(flat), self.server)

    @crossing
    def answer(self, packet: Packet, active: Tensor) -> Tensor:
        self._charge_answers(packet, active)
        message = message_of(packet)
        slots = active.expand(message.packed.movedim(0, -2).shape[:-1]).movedim(-1, 0)
        owner = slots // self.held_rows  # of nobody: beyond the ranks
        if self.rank == 0:
            others = range(1, self.ranks)
            self._transport.swap({q: message.select(owner == q) for q in others}, {})
        else:
            mine = owner == self.rank
            room = message.empty_like(int(mine.sum()), flat=True)
            arrived = self._transport.swap({}, {0: room})[0]
            self._count(self.server, arrived.bytes().sum()[None])
            message = message.scatter(arrived, mine)
        rows = rows_of(packet, message, self._written(active))
        return torch.where(self.is_local(active)[..., None], rows, 0)

    @crossing
    def mix(self, packet: Packet, neighbours: Neighbours) -> Exchanged:
        routes = self._routes_of(neighbours)
        mine = message_of(packet)
        arrived = self._swap(mine, routes)
        for q, ids in routes.receive.items():
            self._count(ids, arrived[q].bytes_by_row())
        present = WireMessage.cat([mine, *arrived.values()]).take(routes.order)
        rows = rows_of(packet, present, routes.senders)
        self._charge_edges(packet, neighbours, present, routes)
        return Exchanged(mix(rows, routes.places, routes.weights), packet.own(self.workers))

    @crossing
    def receive(self, packet: Packet, sources: Tensor, arrives: Tensor | None = None) -> Tensor:
        hearing = ReceivePattern.from_sources(sources, arrives, self.n, packet.replicas.shape)
        every = self._swap_heard(message_of(packet), hearing)
        first = int(self.workers[0])
        held = slice(first, first + self.held_rows)
        senders = hearing.sources[..., held, :].flatten(-2)
        rows = rows_of(packet, every.take_per_replica(senders.movedim(-1, 0)), senders)
        self._charge_heard(packet, every, hearing, held)
        slots = (self.held_rows, sources.shape[-1])
        shaped = rows.reshape(*rows.shape[:-2], *slots, rows.shape[-1])
        return hearing.only_arrived(shaped, held)

    def _swap_heard(self, mine: WireMessage, hearing: ReceivePattern) -> WireMessage:
        """Messages of all workers, blank where nobody here hears them in that replica."""
        others = [q for q in range(self.ranks) if q != self.rank]
        blocks = {q: slice(q * self.held_rows, (q + 1) * self.held_rows) for q in range(self.ranks)}
        asked = {q: hearing.needed(blocks[q].start, self.held_rows) for q in blocks}
        out = {q: mine.select(asked[q][..., blocks[self.rank]].movedim(-1, 0)) for q in others}
        wanted = {q: asked[self.rank][..., blocks[q]].movedim(-1, 0) for q in others}
        arrived = self._transport.swap(
            out, {q: mine.empty_like(int(mask.sum()), flat=True) for q, mask in wanted.items()}
        )
        for q, part in arrived.items():
            counts = torch.zeros(wanted[q].shape, dtype=torch.int64, device=mine.packed.device)
            counts[wanted[q]] = part.bytes()
            self._count(self.everyone[blocks[q]], counts.reshape(self.held_rows, -1).sum(-1))
        parts = [
            mine if q == self.rank else mine.scatter(arrived[q], wanted[q])
            for q in range(self.ranks)
        ]
        return WireMessage.cat(parts)

    def _charge_heard(
        self, packet: Packet, every: WireMessage, hearing: ReceivePattern, held: slice
    ) -> None:
        """Charge what the workers held here send and receive."""
        sent = hearing.sent()[..., held]
        self.ledger.send(sent * packet.bits, sent * packet.messages)
        if every.lengths is None:
            bits: int | Tensor = every.bits
            incoming: int | Tensor = 1
        else:
            bits = every.lengths.movedim(0, -1)
            incoming = 1 if packet.sends is None else (bits > 0).to(torch.int64)
        self.ledger.receive(
            hearing.received(bits)[..., held], hearing.received(incoming)[..., held]
        )

    @crossing
    def collect(self, packet: Packet, active: Tensor) -> Tensor:
        self._charge_active(packet, active)
        parts = list(self._transport.arriving(message_of(packet), sys.maxsize))
        counts = torch.zeros_like(self.crossed_bytes)
        held = self.is_local(active)
        owner = (active.clamp_max(self.n - 1) // self.held_rows).movedim(-1, 0)
        chosen = WireMessage.take_by_owner(parts, owner)
        outside = (~held & (active < self.n)).movedim(-1, 0)
        counts.scatter_add_(
            0, active.movedim(-1, 0)[outside].reshape(-1).cpu(), chosen.bytes()[outside].cpu()
        )
        self.crossed_bytes += counts
        return only_present(rows_of(packet, chosen, active), active, self.n)

    def mean_over_workers(self, rows: Tensor) -> Tensor:
        everyone = self._transport.gather_rows(rows.movedim(-2, 0).contiguous())
        return mean_rows(everyone.movedim(0, -2))

    def _arriving(self, mine: WireMessage, room: int) -> Iterator[WireMessage]:
        """Every rank's message; counts the bytes that crossed."""
        for rank, one in enumerate(map(lambda part: [part], self._transport.arriving(mine, room))):
            self._note_arrival(rank, one[0])
            yield one.pop()  # which is the reader's alone

    def _note_arrival(self, rank: int, part: WireMessage) -> None:
        if rank != self.rank:
            first = rank * self.held_rows
            self.crossed_bytes[first : first + self.held_rows] += part.bytes_by_row()

    def _count(self, senders: Tensor, amounts: Tensor) -> None:
        """Payload bytes ``[k]`` that workers held here had of ``senders`` ``[k]``."""
        self.crossed_bytes[senders.cpu()] += amounts.cpu()
        self.received_bytes += int(amounts.sum())

    def _swap(self, mine: WireMessage, routes: Routes) -> dict[int, WireMessage]:
        """Messages from the ranks that hold a neighbour, in return for those they need."""
        out = {q: mine.take(ids) for q, ids in routes.send.items()}
        return self._transport.swap(
            out, {q: mine.empty_like(len(ids)) for q, ids in routes.receive.items()}
        )

    def _charge_edges(
        self, packet: Packet, neighbours: Neighbours, present: WireMessage, routes: Routes
    ) -> None:
        """One message along each edge of the rows held here."""
        held = self.workers.cpu()
        out_degree, in_degree = neighbours.out_degree[held], neighbours.in_degree[held]
        bits, messages = packet.bits, packet.messages
        if isinstance(bits, int):
            self.ledger.send(bits * out_degree, out_degree)
            self.ledger.receive(bits * in_degree, in_degree)
            return
        self.ledger.send(bits.cpu() * out_degree, _on_cpu(messages) * out_degree)
        incoming = in_neighbours(neighbours.senders)[held][:, routes.senders.cpu()]
        assert present.lengths is not None
        lengths = present.lengths.movedim(0, -1).cpu()[..., None, :]
        arrived = (lengths > 0) if packet.sends is not None else torch.ones_like(lengths)
        self.ledger.receive((lengths * incoming).sum(-1), (arrived * incoming).sum(-1))

    def _routes_of(self, neighbours: Neighbours) -> Routes:
        known = self._routes.get(id(neighbours))
        if known is None:
            known = (neighbours, plan(neighbours, self.workers, self.n))
            self._routes[id(neighbours)] = known
        return known[1]

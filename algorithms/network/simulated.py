"""The simulation: all n workers are rows of one tensor in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from algorithms.kernels.devices import put
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
from algorithms.network.receive_pattern import ReceivePattern, pick
from algorithms.topologies.base import Neighbours


@final
@dataclass(frozen=True)
class _Edges:
    """Gossip lists as the kernel takes them; degrees are numbers where all workers' are equal."""

    index: Tensor
    weight: Tensor
    sent: int | Tensor
    received: int | Tensor
    senders: Sequence[Sequence[int]]

    @cached_property
    def incoming(self) -> Tensor:
        """``[n, n]``: 1 where a row hears a column. Made where it is asked for: n^2 numbers."""
        return put(in_neighbours(self.senders), self.index.device)


def _heard(amount: int | Tensor, incoming: Tensor) -> Tensor:
    """Amount received per worker ``[..., n]`` when worker j's neighbours get ``amount`` of j."""
    if isinstance(amount, int):
        return amount * incoming.sum(-1)
    return (amount[..., None, :] * incoming).sum(-1)


def _speaking(incoming: Tensor, messages: int | Tensor) -> Tensor:
    """``incoming`` ``[..., n, n]`` without those who send nothing."""
    return incoming if isinstance(messages, int) else incoming * messages[..., None, :]


def _common(degrees: Tensor, device: torch.device) -> int | Tensor:
    alike = bool((degrees == degrees[0]).all())
    return int(degrees[0]) if alike else put(degrees, device)


@final
class Simulated(Network):
    """m = n. Nothing is packed; the ledger charges the length of the code."""

    def __init__(self, n: int, device: torch.device | str = "cpu") -> None:
        check_workers(n)
        self.n = n
        self.workers = torch.arange(n, device=device)
        self.held = slice(0, n)
        self.restart()
        self._edges: WeakKeyDictionary[Neighbours, _Edges] = WeakKeyDictionary()

    def average(self, packet: Packet) -> Exchanged:
        rows = self.gather(packet).result
        return Exchanged(mean_rows(rows, keepdim=True), rows)

    def gather(self, packet: Packet) -> Exchanged:
        rows = packet.own(self.workers)
        self.ledger.upload(packet.bits, packet.messages)
        if self.stopwatch is not None:
            self.stopwatch.up(packet.bits, packet.messages)
        return Exchanged(rows, rows)

    def publish(self, packet: Packet) -> Tensor:
        self.ledger.receive(packet.bits, packet.messages)
        if self.stopwatch is not None:
            self.stopwatch.down(packet.bits, packet.messages)
        return packet.own(self.server)

    def mix(self, packet: Packet, neighbours: Neighbours) -> Exchanged:
        rows = packet.own(self.workers)
        edges = self._edges_of(neighbours, rows.dtype)
        bits, messages = packet.bits, packet.messages
        self.charge_mixing(neighbours, rows.dtype, bits, messages)
        if self.stopwatch is not None:
            self.stopwatch.exchange(bits, _speaking(edges.incoming, messages).cpu())
        return Exchanged(mix(rows, edges.index, edges.weight), rows)

    def charge_send(self, bits: int | Tensor, messages: int | Tensor) -> None:
        """Charge senders ``messages`` messages of ``bits`` in all: numbers or ``[..., n]``."""
        self.ledger.send(bits, messages)

    def charge_upload(self, bits: int | Tensor, messages: int | Tensor) -> None:
        """Variant of :meth:`charge_send` for messages to the server."""
        self.ledger.upload(bits, messages)

    def charge_receive(self, bits: int | Tensor, messages: int | Tensor) -> None:
        """Variant of :meth:`charge_send` for received messages."""
        self.ledger.receive(bits, messages)

    def charge_mixing(
        self,
        neighbours: Neighbours,
        dtype: torch.dtype,
        bits: int | Tensor,
        messages: int | Tensor = 1,
    ) -> None:
        """Charge every edge ``messages`` messages of ``bits`` in all: numbers, or what each worker
        sends ``[..., n]``."""
        edges = self._edges_of(neighbours, dtype)
        self.ledger.send(bits * edges.sent, messages * edges.sent)
        if isinstance(bits, int):
            self.ledger.receive(bits * edges.received, messages * edges.received)
        else:
            incoming = edges.incoming
            self.ledger.receive(_heard(bits, incoming), _heard(messages, incoming))

    def receive(self, packet: Packet, sources: Tensor, arrives: Tensor | None = None) -> Tensor:
        hearing = ReceivePattern.from_sources(sources, arrives, self.n, packet.replicas.shape)
        bits, messages = packet.bits, packet.messages
        sent = hearing.sent()
        self.ledger.send(sent * bits, sent * messages)
        self.ledger.receive(hearing.received(bits), hearing.received(messages))
        if self.stopwatch is not None:
            self.stopwatch.exchange(bits, _speaking(hearing.links(), messages).cpu())
        rows = pick(packet.own(self.workers), hearing.sources)
        return hearing.only_arrived(rows, slice(None))

    def collect(self, packet: Packet, active: Tensor) -> Tensor:
        self._charge_active(packet, active)
        if self.stopwatch is not None:
            bits, messages = self._by_worker(packet, active)
            self.stopwatch.up(bits, messages, messages.bool())
        return only_present(packet.decode(packet.symbols, active), active, self.n)

    def answer(self, packet: Packet, active: Tensor) -> Tensor:
        self._charge_answers(packet, active)
        if self.stopwatch is not None:
            self.stopwatch.down(*self._by_worker(packet, active))
        rows = packet.decode(packet.symbols, self._written(active))
        return only_present(rows, active, self.n)

    def mean_over_workers(self, rows: Tensor) -> Tensor:
        return mean_rows(rows)

    def _by_worker(self, packet: Packet, active: Tensor) -> tuple[Tensor, Tensor]:
        """Bits and messages ``[..., n]`` of a packet whose rows are those of ``active``."""
        messages = torch.zeros((*active.shape[:-1], self.n + 1), dtype=torch.int64)
        bits = torch.zeros_like(messages)
        length = torch.as_tensor(packet.bits).cpu().expand(active.shape)
        messages.scatter_(-1, active.cpu(), 1)
        bits.scatter_(-1, active.cpu(), length.to(torch.int64))
        return bits[..., :-1], messages[..., :-1]

    def _edges_of(self, neighbours: Neighbours, dtype: torch.dtype) -> _Edges:
        """Made once for each neighbourhood, not at every step."""
        known = self._edges.get(neighbours)
        if known is None or known.weight.dtype != dtype:
            device = self.workers.device
            known = _Edges(
                put(neighbours.index, device),
                put(neighbours.weight.to(dtype), device),
                _common(neighbours.out_degree, device),
                _common(neighbours.in_degree, device),
                neighbours.senders,
            )
            self._edges[neighbours] = known
        return known

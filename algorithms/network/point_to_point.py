"""Networks of ranks that have no common clock: only those that take part in a tick call anything.

A method's own step runs on them; what they charge is counted where it crosses, and the bill is that
of the replay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn, final

import torch
from torch import Tensor

from algorithms.network.base import Exchanged, Network, Packet, only_present
from algorithms.network.ledger import Ledger
from algorithms.network.mailbox import Mailbox
from algorithms.network.peer_messages import PeerMessage, PeerMessages
from algorithms.network.transport import message_of, rows_of
from algorithms.network.wire import WireMessage
from algorithms.topologies.base import Neighbours

GO, STOP, LATE = 1, 2, 3
"""A server's words beside an answer: go on; that was the last tick; yours came after it."""


class LateArrival(Exception):
    """This worker's gradient arrived when the run was over."""


def row_of(packet: Packet, payload: Tensor, bits: int, sender: Tensor) -> Tensor:
    """The row ``[1, 1, d]`` of a message that ``sender`` ``[1]`` packed as ``packet`` is."""
    lengths = None if packet.code.fixed_bits is not None else torch.tensor([[bits]])
    return rows_of(packet, WireMessage(payload[None, None], lengths, bits), sender)


def _column(message: WireMessage, k: int) -> WireMessage:
    return message.take(torch.tensor([k]))


class PointToPointNetwork(Network):
    """Network that refuses what needs all ranks; ``n`` workers, those of ``held`` live here."""

    def __init__(self, n: int, held: Tensor) -> None:
        self.n, self.workers, self.ledger = n, held, Ledger(len(held))

    def average(self, packet: Packet) -> Exchanged:
        self._refuse("average")

    def gather(self, packet: Packet) -> Exchanged:
        self._refuse("gather")

    def publish(self, packet: Packet) -> Tensor:
        self._refuse("publish")

    def mix(self, packet: Packet, neighbours: Neighbours) -> Exchanged:
        self._refuse("mix")

    def receive(self, packet: Packet, sources: Tensor, arrives: Tensor | None = None) -> Tensor:
        self._refuse("receive")

    def collect(self, packet: Packet, active: Tensor) -> Tensor:
        self._refuse("collect")

    def answer(self, packet: Packet, active: Tensor) -> Tensor:
        self._refuse("answer")

    def mean_over_workers(self, rows: Tensor) -> Tensor:
        self._refuse("mean_over_workers")

    def _refuse(self, what: str) -> NoReturn:
        raise RuntimeError(f"{what} needs all ranks at once, and these have no common clock")


@final
class AtServer(PointToPointNetwork):
    """Rank 0's: the server, which holds no worker; worker i is rank i + 1.

    ``waiting`` are the messages of who arrived, by worker; ``word`` goes beside every answer.
    """

    def __init__(self, n: int, messages: PeerMessages) -> None:
        super().__init__(n, torch.arange(1))
        self.messages, self.word = messages, GO
        self.waiting: Mapping[int, PeerMessage] = {}
        self.answered: set[int] = set()

    def is_local(self, active: Tensor) -> Tensor:
        return torch.zeros_like(active, dtype=torch.bool)

    def collect(self, packet: Packet, active: Tensor) -> Tensor:
        rows = torch.zeros((1, active.shape[-1], packet.d), dtype=packet.dtype)
        for k, worker in enumerate(active.reshape(-1).tolist()):
            if worker < self.n:
                told = self.waiting[worker]
                rows[:, k : k + 1] = row_of(packet, told.payload, told.bits, active[..., k])
        return rows

    def answer(self, packet: Packet, active: Tensor) -> Tensor:
        message = message_of(packet)
        for k, worker in enumerate(active.reshape(-1).tolist()):
            if worker < self.n:
                one = _column(message, k)
                bits = int(one.bits_by_row().sum())
                self.messages.send(worker + 1, self.word, one.flat(), bits)
                self.answered.add(worker)
        return torch.zeros((1, active.shape[-1], packet.d), dtype=packet.dtype)

    def release(self, workers: Mapping[int, int] | list[int]) -> None:
        """Let ``workers`` go on that were not answered with a model."""
        for worker in workers:
            if worker not in self.answered:
                self.messages.send(worker + 1, self.word, torch.empty(0, dtype=torch.uint8))
        self.answered.clear()


@final
class AtWorker(PointToPointNetwork):
    """A worker's, which speaks with the server alone; ``word`` is what that said last."""

    def __init__(self, n: int, worker: int, messages: PeerMessages) -> None:
        super().__init__(n, torch.tensor([worker]))
        self.messages, self.me, self.word = messages, worker, GO
        self.begun, self.told = 0, False

    def collect(self, packet: Packet, active: Tensor) -> Tensor:
        """Arrive, with a message if ``active`` has this worker, else without."""
        empty = torch.empty(0, dtype=torch.uint8)
        own = bool((active == self.me).any())
        flat = message_of(packet) if own else None
        self.told = False
        if flat is None:
            self.messages.send(0, self.begun, empty)
        else:
            self.messages.send(0, self.begun, flat.flat(), int(flat.bits_by_row().sum()))
        return only_present(packet.own(active), active, self.n)

    def answer(self, packet: Packet, active: Tensor) -> Tensor:
        rows = torch.zeros((1, active.shape[-1], packet.d), dtype=packet.dtype)
        if bool((active == self.me).any()):
            told = self._heard()
            place = (active.reshape(-1) == self.me).nonzero()[0, 0]
            rows[:, place] = row_of(packet, told.payload, told.bits, self.server)[:, 0]
        return rows

    def released(self) -> int:
        """Answer of the server on this worker's gradient, waited for if it has not come yet."""
        if not self.told:
            self._heard()
        return self.word

    def _heard(self) -> PeerMessage:
        told = self.messages.receive(0)
        self.word, self.told = told.word, True
        if told.word == LATE:
            raise LateArrival
        return told


@final
class PairwiseNetwork(PointToPointNetwork):
    """A worker's, which meets one other at a time; worker i is rank i.

    ``pair`` are the two that meet now, or nobody does.
    """

    def __init__(self, n: int, worker: int, mailbox: Mailbox) -> None:
        super().__init__(n, torch.tensor([worker]))
        self.mailbox, self.me = mailbox, worker
        self.pair: tuple[int, ...] = ()

    def receive(self, packet: Packet, sources: Tensor, arrives: Tensor | None = None) -> Tensor:
        if arrives is not None:
            self._refuse("receive with losses")
        mine, incoming = message_of(packet), sources[0, self.me].tolist()
        for other in self.pair:
            if other != self.me and self.me in sources[0, other].tolist():
                self.mailbox.send_row(other, mine.flat(), int(mine.bits_by_row().sum()))
        own = packet.own(self.workers)
        rows = []
        for source in incoming:
            if source == self.me:
                rows.append(own)
                continue
            told = self.mailbox.row_from(source)
            rows.append(row_of(packet, told.payload, told.bits, torch.tensor([source])))
        return torch.stack(rows, dim=-2)

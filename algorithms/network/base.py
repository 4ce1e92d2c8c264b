"""Network: what a method may ask of the world outside a worker."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Symbols
from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.entries import Entries
from algorithms.core.key import Key
from algorithms.network.clock import Clock
from algorithms.network.ledger import Account, Books, Ledger
from algorithms.network.phases import Phase, PhaseClock
from algorithms.topologies.base import Neighbours


@final
@dataclass(frozen=True)
class Packet:
    """Messages of a set of rows, not yet sent: symbols and what is needed to read them.

    ``sends`` ``[..., m]`` (bool) says which rows send at all; None: all do. A row that does not is
    read as zero and costs nothing.

    Attributes:
        compressor: the operator that made the symbols and reads them.
        key: the randomness that the receiver draws again.
        replicas: ids of the leading axes ``[...]``.
        d: length of a row.
        dtype: type of a decoded row.
    """

    compressor: Compressor
    symbols: Symbols
    key: Key
    replicas: Tensor
    d: int
    dtype: torch.dtype
    sends: Tensor | None = None

    @property
    def code(self) -> Code:
        """Encoding of the symbols."""
        return code_of(self.compressor, self.d, self.dtype)

    @cached_property
    def bits(self) -> int | Tensor:
        """Length of each row's message [bits], ``[..., m]``, or one number for all."""
        fixed = self.code.fixed_bits
        if self.sends is None and fixed is not None:
            return fixed
        lengths = self.code.lengths(self.symbols) if fixed is None else fixed
        return lengths if self.sends is None else self.sends.to(torch.int64) * lengths

    @property
    def messages(self) -> int | Tensor:
        """Messages a row sends: 1, or ``[..., m]``."""
        return 1 if self.sends is None else self.sends.to(torch.int64)

    def decode(self, symbols: Symbols, senders: Tensor, sends: Tensor | None = None) -> Tensor:
        """Rows ``[..., k, d]`` of the workers ``senders`` ``[k]`` or ``[..., k]``.

        ``sends`` ``[..., k]`` as in the packet, for these senders.
        """
        draws = self.key.draws(self.replicas, senders)
        rows = self.compressor.decode(symbols, self.d, self.dtype, draws)
        return rows if sends is None else torch.where(sends[..., None], rows, 0)

    def add_onto(
        self, total: Tensor, symbols: Symbols, senders: Tensor, sends: Tensor | None = None
    ) -> None:
        """Add the rows of :meth:`decode` to ``total`` ``[..., d]`` in their order.

        Sparse messages are added entry by entry, others are decoded one worker at a time: beside
        the symbols at most one row is held. From zeros on, the bits are those of
        ``algorithms.kernels.mean.sum_rows`` over the rows.
        """
        for place in range(senders.shape[-1]):
            here = slice(place, place + 1)
            one = tuple(part[..., here, :] for part in symbols)
            subset = senders[..., here]
            draws = self.key.draws(self.replicas, subset)
            told = None if sends is None else sends[..., here]
            pieces = self.compressor.pieces(one, self.d, self.dtype, draws)
            if pieces is None or told is not None:
                total += self.decode(one, subset, told)[..., 0, :]
                continue
            for piece in pieces:
                entries = Entries(piece.count, piece.positions)
                entries.spread_onto(total[..., None, :], piece.values)

    def own(self, workers: Tensor) -> Tensor:
        """The rows held here as others will read them."""
        return self.decode(self.symbols, workers, self.sends)


def pack(compressor: Compressor, x: Tensor, key: Key, replicas: Tensor, workers: Tensor) -> Packet:
    """Encode rows x ``[..., m, d]`` of ``workers``."""
    symbols = compressor.encode(x, key.draws(replicas, workers))
    return Packet(compressor, symbols, key, replicas, x.shape[-1], x.dtype)


class Exchanged(NamedTuple):
    """Result of an exchange: ``result``, and ``own``, the own rows as others read them."""

    result: Tensor
    own: Tensor


class Network(ABC):
    """n workers, of whom the rows ``workers`` ``[m]`` live here; charges what crosses.

    Where a ``stopwatch`` runs beside the ledger, messages take modelled time; where ``phases`` do,
    the seconds of this process are measured.

    Every operation is collective: all ranks call it, in the same order.
    """

    n: int
    workers: Tensor
    ledger: Ledger
    stopwatch: Clock | None = None
    phases: PhaseClock | None = None

    @abstractmethod
    def average(self, packet: Packet) -> Exchanged:
        """Every worker sends to the server, which averages: result ``[..., 1, d]``.

        Charges each worker one message up. The server is replicated: all ranks get the result.
        """

    @abstractmethod
    def gather(self, packet: Packet) -> Exchanged:
        """Every worker sends to the server, which sees every message: result ``[..., n, d]``.

        Charged as :meth:`average`.
        """

    @abstractmethod
    def publish(self, packet: Packet) -> Tensor:
        """The server sends one message, a packet of one row, to every worker: ``[..., 1, d]``.

        Charges each worker one message down. On ranks the bytes come from rank 0.
        """

    @abstractmethod
    def mix(self, packet: Packet, neighbours: Neighbours) -> Exchanged:
        """sum_j W_ij (row j as decoded), result ``[..., m, d]``; messages go along edges only.

        Charges each worker one message per outgoing and incoming edge.
        """

    @abstractmethod
    def receive(self, packet: Packet, sources: Tensor, arrives: Tensor | None = None) -> Tensor:
        """Rows ``[..., m, s, d]`` as read, of whom each worker hears in each replica.

        Worker i hears ``sources[..., i, s]`` (int64 ids ``[..., n, s]``, the same on all ranks);
        its own id there costs nothing and gives its own row as others read it. Messages that do
        not arrive (``arrives`` ``[..., n, s]``, bool) are charged to the sender alone and read as
        zero.

        Raises:
            ValueError: sources of another shape or type, or an id outside [0, n).
        """

    @abstractmethod
    def collect(self, packet: Packet, active: Tensor) -> Tensor:
        """Workers ``active`` ``[..., k]`` send: decoded rows ``[..., k, d]``, charged to them only.

        The packet holds k rows; those of workers that live elsewhere are ignored here. The id n
        means nobody: a row of zeros.
        """

    @abstractmethod
    def answer(self, packet: Packet, active: Tensor) -> Tensor:
        """The server sends row j of k to worker ``active[..., j]``: ``[..., k, d]`` as read.

        Charges those workers one message down each. Rows of workers that live elsewhere, and of the
        id n, nobody, are zero. On ranks the bytes come from rank 0.
        """

    @abstractmethod
    def mean_over_workers(self, rows: Tensor) -> Tensor:
        """Mean ``[..., d]`` over all n of rows ``[..., m, d]``: an observer's view, not charged."""

    @cached_property
    def server(self) -> Tensor:
        """The server's id ``[1]``, one above the workers'."""
        return torch.full((1,), self.n, device=self.workers.device)

    def position(self, active: Tensor) -> Tensor:
        """Place among the rows held here of each of ``active`` ``[..., k]``; 0 if it is elsewhere.

        Rows held are consecutive workers.
        """
        first: int = self.held.start
        return torch.where(self.is_local(active), active - first if first else active, 0)

    def is_local(self, active: Tensor) -> Tensor:
        """Whether each of ``active`` ``[..., k]`` is held here (bool)."""
        first: int = self.held.start
        known: Tensor = active < self.held.stop
        return known & (active >= first) if first else known

    @cached_property
    def held(self) -> slice:
        """The workers held here, as the host knows them; ids are never negative."""
        return slice(int(self.workers[0]), int(self.workers[-1]) + 1)

    def restart(self) -> None:
        """Forget what was charged and timed so far: a run has a bill of its own."""
        self.ledger = Ledger(len(self.workers), self.workers.device)
        self.stopwatch = None

    def during(self, phase: Phase) -> AbstractContextManager[None]:
        """Within, this process does ``phase``, where that is measured."""
        return nullcontext() if self.phases is None else self.phases.during(phase)

    def stepping(self, t: int) -> AbstractContextManager[None]:
        """Within is step t, where seconds are measured."""
        return nullcontext() if self.phases is None else self.phases.stepping(t)

    def meet(self) -> None:
        """Wait for all other processes, if there are any."""
        return

    def discard(self, senders: Tensor, broken: Tensor) -> None:
        """Note that the server threw away a message of each of ``senders`` ``[..., k]`` where
        ``broken`` (bool)."""
        self.ledger.discard(self.position(senders), self.is_local(senders) & broken)

    def account(self, replicas: torch.Size | tuple[int, ...] = ()) -> Account:
        """Traffic so far of the workers held here, sent and received, ``[*replicas, m]``."""
        return self.ledger.account(replicas)

    def books(self) -> Books:
        """What was charged so far; later charges do not write to it."""
        return self.ledger.books()

    def reopen(self, books: Books) -> None:
        """Go back to what was charged then."""
        self.ledger.reopen(books)

    def accounts(self, several: Sequence[Books], replicas: tuple[int, ...]) -> Account:
        """Totals of several books, ``[K, *replicas, m]``, on the CPU."""
        return self.ledger.accounts(several, replicas)

    def _charge_active(self, packet: Packet, active: Tensor) -> None:
        """One message up from each active worker held here."""
        self.ledger.upload_from(self.position(active), self.is_local(active), packet.bits)

    def _charge_answers(self, packet: Packet, active: Tensor) -> None:
        """One message down to each active worker held here."""
        self.ledger.receive_at(self.position(active), self.is_local(active), packet.bits)

    def _written(self, active: Tensor) -> Tensor:
        """The server's id once for each of ``active`` ``[..., k]``: it writes all answers."""
        return torch.full_like(active, self.n)


def check_workers(n: int) -> None:
    """Refuse fewer than one worker.

    Raises:
        ValueError: n < 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1 worker, got n={n}")


def only_present(rows: Tensor, active: Tensor, n: int) -> Tensor:
    """Rows ``[..., k, d]`` of workers ``active`` ``[..., k]``; zero where it is n, nobody."""
    return torch.where((active < n)[..., None], rows, 0)


def in_neighbours(senders: Sequence[Sequence[int]]) -> Tensor:
    """``[n, n]`` (int64): 1 where the row's worker hears the column's, whom it hears given."""
    n = len(senders)
    incoming = torch.zeros((n, n), dtype=torch.int64)
    for i, heard_by in enumerate(senders):
        incoming[i, list(heard_by)] = 1
    return incoming

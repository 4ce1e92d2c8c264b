"""Ledger: bits and messages per worker and direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.kernels.devices import put


class Account(NamedTuple):
    """Totals ``[..., m]`` (int64) of the workers held here.

    ``discarded_messages`` are those of the sent that the receiver threw away, not being finite;
    ``uploaded_messages`` those of the sent that went to the server.

    Attributes:
        sent_bits: bits sent.
        received_bits: bits received.
        sent_messages: messages sent.
        received_messages: messages received.
    """

    sent_bits: Tensor
    received_bits: Tensor
    sent_messages: Tensor
    received_messages: Tensor
    discarded_messages: Tensor
    uploaded_messages: Tensor


class Books(NamedTuple):
    """Everything that a ledger has charged so far, as it keeps it.

    Attributes:
        even: charges to all rows alike, by slot.
        uneven: those of each row, by slot.
    """

    even: tuple[int, ...]
    uneven: tuple[Tensor, ...]


_SENT_BITS, _RECEIVED_BITS, _SENT_MESSAGES, _RECEIVED_MESSAGES, _DISCARDED, _UPLOADED = range(6)


@final
class Ledger:
    """Adds up what every worker sent and received; one per network and run.

    A charge may be one number for all rows, a tensor ``[..., m]``, or go to chosen positions.
    Bits are those of the code, without the padding to whole bytes and without transport headers.
    Charges are added up on ``device``, so that no step waits for them; totals are on the CPU.
    """

    def __init__(self, rows: int, device: torch.device | str = "cpu") -> None:
        self._rows = rows
        slots = len(Account._fields)
        self._even = [0] * slots
        self._uneven = [torch.zeros(rows, dtype=torch.int64, device=device) for _ in range(slots)]

    def send(self, bits: int | Tensor, messages: int | Tensor = 1) -> None:
        """Charge ``messages`` messages of ``bits`` in all, to other workers, to each sender."""
        self._add(_SENT_BITS, bits)
        self._add(_SENT_MESSAGES, messages)

    def upload(self, bits: int | Tensor, messages: int | Tensor = 1) -> None:
        """Charge uploads as :meth:`send` does."""
        self.send(bits, messages)
        self._add(_UPLOADED, messages)

    def receive(self, bits: int | Tensor, messages: int | Tensor = 1) -> None:
        """Charge ``messages`` messages of ``bits`` in all to each receiver."""
        self._add(_RECEIVED_BITS, bits)
        self._add(_RECEIVED_MESSAGES, messages)

    def upload_from(self, positions: Tensor, mask: Tensor, bits: int | Tensor) -> None:
        """Charge one message of ``bits`` to the server to rows at ``positions`` ``[..., k]`` where
        ``mask``."""
        one = mask.to(torch.int64)
        self._add_at((_SENT_BITS,), positions, one * bits)
        self._add_at((_SENT_MESSAGES, _UPLOADED), positions, one)

    def receive_at(self, positions: Tensor, mask: Tensor, bits: int | Tensor) -> None:
        """Charge one received message of ``bits`` to rows at ``positions`` where ``mask``."""
        one = mask.to(torch.int64)
        self._add_at((_RECEIVED_BITS,), positions, one * bits)
        self._add_at((_RECEIVED_MESSAGES,), positions, one)

    def discard(self, positions: Tensor, mask: Tensor) -> None:
        """Note that a message of each row at ``positions`` ``[..., k]`` where ``mask`` was lost."""
        self._add_at((_DISCARDED,), positions, mask.to(torch.int64))

    def account(self, replicas: torch.Size | tuple[int, ...] = ()) -> Account:
        """Totals so far, ``[*replicas, m]``, on the CPU."""
        shape = (*replicas, self._rows)
        totals = [
            (uneven.cpu() + even).expand(shape).clone()
            for even, uneven in zip(self._even, self._uneven, strict=True)
        ]
        return Account(*totals)

    def books(self) -> Books:
        """What was charged so far; later charges do not write to it."""
        return Books(tuple(self._even), tuple(self._uneven))

    def reopen(self, books: Books) -> None:
        """Go back to what was charged then."""
        self._even, self._uneven = list(books.even), list(books.uneven)

    def accounts(self, several: Sequence[Books], replicas: tuple[int, ...]) -> Account:
        """Totals of several books, ``[K, *replicas, m]``, on the CPU."""
        shape = (*replicas, self._rows)
        totals = []
        for slot in range(len(Account._fields)):
            even = torch.tensor([one.even[slot] for one in several])
            uneven = [one.uneven[slot] for one in several]
            alike = all(one is uneven[0] for one in uneven)
            own = uneven[0].cpu().expand(shape)[None] if alike else torch.stack(
                [one.cpu().expand(shape) for one in uneven]
            )  # fmt: skip
            totals.append(own + even.view(-1, *(1 for _ in shape)))
        return Account(*totals)

    def _add(self, slot: int, amount: int | Tensor) -> None:
        if isinstance(amount, int):
            self._even[slot] += amount
        else:
            known = self._uneven[slot]
            self._uneven[slot] = known + put(amount.to(torch.int64), known.device)

    def _add_at(self, slots: tuple[int, ...], positions: Tensor, charge: Tensor) -> None:
        shape = (*positions.shape[:-1], self._rows)
        device = self._uneven[slots[0]].device
        positions, charge = put(positions, device), put(charge, device)
        for slot in slots:
            if self._uneven[slot].shape != shape:
                self._uneven[slot] = self._uneven[slot].expand(shape).clone()
            self._uneven[slot] = self._uneven[slot].scatter_add(-1, positions, charge)

"""Operators made of operators, as parts of compiled steps: one part calls another.

The inner part's address and numbers lie among the outer one's; keys are folded here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from algorithms.kernels.compiled import njit
from algorithms.kernels.key_words import ending_of, folded
from algorithms.kernels.pointers import _operator_at as operator_at
from algorithms.kernels.row_parts import Numbers, RowPart, ready

_HEAD, _ENTRY = 3, 17
"""Whole numbers of a composite: of its head, and of each place in it."""


class Placed(NamedTuple):
    """An inner operator in its place.

    Attributes:
        part: its function.
        start: the first coordinate that it takes.
        size: how many it takes.
        words: what its draws are folded with; none: they are the outer ones.
        bits: length of its messages [bits]; None where it varies.
    """

    part: RowPart
    start: int
    size: int
    words: tuple[int | str, ...] = ()
    bits: int | None = None


class _Room:
    """Numbers of inner parts end to end; equal parts are held once."""

    def __init__(self, kind: Any) -> None:
        kinds = (kind, kind, kind, np.int64, np.float64)
        self.held: list[list[Any]] = [[np.empty(0, kind)] for kind in kinds]
        self.known: dict[int, tuple[int, ...]] = {}

    def put(self, part: RowPart) -> tuple[int, ...]:
        """Store a part's five arrays; where each starts and ends."""
        if id(part) not in self.known:
            spans: list[int] = []
            for held, array in zip(self.held, part.numbers, strict=True):
                start = sum(map(len, held))
                held.append(array)
                spans += [start, start + len(array)]
            self.known[id(part)] = tuple(spans)
        return self.known[id(part)]

    def joined(self) -> list[Any]:
        """The five arrays."""
        return [np.concatenate(held) for held in self.held]


def composite(
    function: Any, dtype: torch.dtype, places: Sequence[Placed], joined: bool = False,
    order: Sequence[int] = (), factor: float = 1.0,
) -> RowPart:  # fmt: skip
    """A part that calls others: ``function`` is one of this file's.

    With ``joined`` each place's bytes are whole and lengths that vary go before them; ``order``
    says which coordinate stands where; ``factor`` is the function's own.
    """
    room = _Room(np.float32 if dtype == torch.float32 else np.float64)
    room.held[0].append(np.full(1, factor, room.held[0][0].dtype))
    room.held[3].append(np.array(order, np.int64))
    table = [len(places), int(joined), len(order)]
    for place in places:
        address = ready(place.part.function, "operator", dtype).entry
        ending = np.array(ending_of(*place.words) if place.words else (), np.int64)
        at = sum(map(len, room.held[3]))
        room.held[3].append(ending)
        bits = -1 if place.bits is None else place.bits
        spans = (place.start, place.size, address, at, at + len(ending), bits)
        table += [*spans, int(place.part.draws), *room.put(place.part)]
    arrays = room.joined()
    arrays[3] = np.concatenate([np.array(table, np.int64), arrays[3]])
    one, two, three, whole, doubles = arrays
    numbers: Numbers = (one, two, three, whole, doubles)
    draws = any(place.part.draws for place in places)
    work = sum(max(place.part.work, place.size) for place in places)
    calls = sum(max(1, place.part.calls) for place in places)
    return RowPart(function, numbers, draws, work, calls=calls)


@njit(cache=True, nogil=True)
def _whole(numbers):  # type: ignore[no-untyped-def]
    """Integers after the table."""
    return numbers[3][_HEAD + _ENTRY * numbers[3][0] :]


@njit(cache=True, nogil=True)
def inner(numbers, b, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Apply the operator in place b to rows of its own."""
    e = numbers[3][_HEAD + _ENTRY * b : _HEAD + _ENTRY * (b + 1)]
    whole = _whole(numbers)
    if e[6] and e[4] > e[3]:
        k0, k1 = folded(k0, k1, whole[e[3] : e[4]])
    own = (
        numbers[0][e[7] : e[8]], numbers[1][e[9] : e[10]], numbers[2][e[11] : e[12]],
        whole[e[13] : e[14]], numbers[4][e[15] : e[16]],
    )  # fmt: skip
    send = operator_at(e[2], x)  # type: ignore[call-arg, var-annotated]
    return send(own, x, guide, k0, k1, replica, first, t, sent, bits)


@njit(cache=True, nogil=True)
def _taken(rows, order, start, size, out):  # type: ignore[no-untyped-def]
    """Columns start, ... of rows, or of those that ``order`` names, into ``[k, size]``."""
    for i in range(rows.shape[0]):
        for j in range(size):
            out[i, j] = rows[i, order[start + j] if order.shape[0] else start + j]


@njit(cache=True, nogil=True)
def parts(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Operators on consecutive parts of the row."""
    rows, count, joined = x.shape[0], numbers[3][0], numbers[3][1]
    order = _whole(numbers)[: numbers[3][2]]
    if count == 1 and not joined and not order.shape[0]:
        return inner(numbers, 0, x, guide, k0, k1, replica, first, t, sent, bits)
    own, total = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    for b in range(count):
        e = numbers[3][_HEAD + _ENTRY * b : _HEAD + _ENTRY * (b + 1)]
        start, size, fixed = e[0], e[1], e[5]
        part, beside = np.empty((rows, size), x.dtype), np.empty((guide.shape[0], size), x.dtype)
        read = np.empty((rows, size), x.dtype)
        _taken(x, order, start, size, part)
        _taken(guide, order, start, size, beside)
        if not inner(numbers, b, part, beside, k0, k1, replica, first, t, read, own):
            return False
        for i in range(rows):
            length = own[i] if fixed < 0 else fixed
            total[i] += 8 * ((length + 7) // 8) + (32 if fixed < 0 else 0)
            for j in range(size):
                sent[i, order[start + j] if order.shape[0] else start + j] = read[i, j]
    if joined:
        bits[:] = total
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def divided(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Apply another operator to rows and divide by a number."""
    good = inner(numbers, 0, x, guide, k0, k1, replica, first, t, sent, bits)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            sent[i, j] = sent[i, j] / numbers[0][0]
    return good

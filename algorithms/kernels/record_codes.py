"""Lists of short records as bits: columns at a fixed width, in Golomb's code or one of Elias's.

The kernels walk the rows bit by bit, most significant first; a row starts where the last list left
it, so several lists follow one another. What is on another device is moved here first: bits are for
the wire.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit

FIXED, GOLOMB, GAMMA, OMEGA = 0, 1, 2, 3
"""How a column's symbols are written; the last two are Elias's codes (Elias 1975)."""


@njit(cache=True, nogil=True)
def _put_bits(row, at, word, width):  # type: ignore[no-untyped-def]
    for left in range(width - 1, -1, -1):
        if (word >> np.uint64(left)) & np.uint64(1):
            row[at >> 3] |= np.uint8(128 >> (at & 7))
        at += 1
    return at


@njit(cache=True, nogil=True)
def _get_bits(row, at, width):  # type: ignore[no-untyped-def]
    word = np.uint64(0)
    for _ in range(width):
        bit = (row[at >> 3] >> np.uint8(7 - (at & 7))) & np.uint8(1)
        word = (word << np.uint64(1)) | np.uint64(bit)
        at += 1
    return word, at


@njit(cache=True, nogil=True)
def _log(word):  # type: ignore[no-untyped-def]
    log = 0
    while word >> np.uint64(log + 1):
        log += 1
    return log


@njit(cache=True, nogil=True)
def _put_elias(row, at, word, kind):  # type: ignore[no-untyped-def]
    if kind == GAMMA:
        log = _log(word)
        return _put_bits(row, at + log, word, log + 1)
    groups = np.empty(8, dtype=np.uint64)
    count = 0
    while word > np.uint64(1):
        groups[count] = word
        count += 1
        word = np.uint64(_log(word))
    for g in range(count - 1, -1, -1):
        at = _put_bits(row, at, groups[g], _log(groups[g]) + 1)
    return at + 1


@njit(cache=True, nogil=True)
def _bit(row, at):  # type: ignore[no-untyped-def]
    return (row[at >> 3] >> np.uint8(7 - (at & 7))) & np.uint8(1)


@njit(cache=True, nogil=True)
def _get_elias(row, at, end, kind):  # type: ignore[no-untyped-def]
    if kind == GAMMA:
        log = 0
        while at + log < end and not _bit(row, at + log):
            log += 1
        if at + 2 * log + 1 > end:
            return np.uint64(0), end + 1
        return _get_bits(row, at + log, log + 1)
    word = np.uint64(1)
    while at < end and _bit(row, at):
        width = np.int64(word) + 1
        if width > 63 or at + width > end:
            return np.uint64(0), end + 1
        word, at = _get_bits(row, at, width)
    return word, at + 1


@njit(cache=True, nogil=True)
def _write(out, start, count, columns, widths, kinds):  # type: ignore[no-untyped-def]
    rows, count_columns, _ = columns.shape
    for i in range(rows):
        at = start[i]
        for e in range(count[i]):
            for c in range(count_columns):
                word = np.uint64(columns[i, c, e])
                if kinds[c] >= GAMMA:
                    at = _put_elias(out[i], at, word, kinds[c])
                    continue
                if kinds[c] == GOLOMB:
                    word -= np.uint64(1)
                    for _ in range(np.int64(word >> np.uint64(widths[c]))):
                        at = _put_bits(out[i], at, np.uint64(1), 1)
                    at += 1
                at = _put_bits(out[i], at, word, widths[c])
        start[i] = at


@njit(cache=True, nogil=True)
def _read(packed, start, end, count, columns, widths, kinds):  # type: ignore[no-untyped-def]
    rows, count_columns, cap = columns.shape
    for i in range(rows):
        at, e = start[i], 0
        while e < cap and (e < count[i] or (count[i] < 0 and at < end[i])):
            for c in range(count_columns):
                if kinds[c] >= GAMMA:
                    word, at = _get_elias(packed[i], at, end[i], kinds[c])
                    if at > end[i]:
                        return i
                    columns[i, c, e] = np.int64(word)
                    continue
                quotient = np.uint64(0)
                if kinds[c] == GOLOMB:
                    while at < end[i] and (packed[i, at >> 3] >> np.uint8(7 - (at & 7))) & 1:
                        quotient += np.uint64(1)
                        at += 1
                    at += 1
                if at + widths[c] > end[i]:
                    return i
                word, at = _get_bits(packed[i], at, widths[c])
                if kinds[c] == GOLOMB:
                    word += (quotient << np.uint64(widths[c])) + np.uint64(1)
                columns[i, c, e] = np.int64(word)
            e += 1
        start[i], count[i] = at, e
    return -1


def write(
    out: Tensor, start: Tensor, count: Tensor, columns: Tensor, widths: Tensor, kinds: Tensor
) -> None:
    """Write ``count`` ``[P]`` records: ``columns`` ``[P, C, cap]`` (int64) into ``out`` ``[P, B]``.

    ``out`` is bytes, zero where it is written. Rows go on from bit ``start`` ``[P]``, which is
    moved to their ends. ``kinds`` ``[C]`` is the code of each column. ``widths`` ``[C]`` are the
    bits of a symbol (FIXED) or of the remainder (Golomb's code); Elias's code has none and ignores
    them. All but FIXED take symbols of at least 1.
    """
    _write(*(part.numpy() for part in (out, start, count, columns, widths, kinds)))


def read(
    packed: Tensor,
    start: Tensor,
    end: Tensor,
    count: Tensor,
    columns: Tensor,
    widths: Tensor,
    kinds: Tensor,
) -> None:
    """The inverse of :func:`write`: fills ``columns``; rows of ``count`` -1 are read to their end.

    ``start`` and ``count`` are set to where each row stopped and how many records it had.

    Raises:
        ValueError: a record goes beyond ``end`` ``[P]`` of its row.
    """
    arrays = (packed, start, end, count, columns, widths, kinds)
    broken = _read(*(part.numpy() for part in arrays))
    if broken >= 0:
        raise ValueError(
            f"the list of row {broken} ends within a record, at bit {int(end[broken])}"
        )


def lengths(count: Tensor, columns: Tensor, widths: Tensor, kinds: Tensor) -> Tensor:
    """Bits ``[P]`` that :func:`write` takes for each row."""
    meant = torch.arange(columns.shape[-1], device=columns.device) < count[:, None]
    total = torch.zeros_like(count)
    for c, kind in enumerate(kinds.tolist()):
        words, width = columns[:, c], int(widths[c])
        if kind == FIXED:
            bits = torch.full_like(words, width)
        elif kind == GOLOMB:
            bits = ((words - 1) >> width) + 1 + width
        else:
            bits = elias_lengths(words.clamp_min(1), kind)
        total = total + torch.where(meant, bits, 0).sum(-1)
    return total


def elias_lengths(words: Tensor, kind: int) -> Tensor:
    """Bits of Elias's code of integers >= 1, elementwise."""
    if not words.is_cpu:
        return elias_lengths_torch(words, kind)
    log = _log2(words)
    if kind == GAMMA:
        return 2 * log + 1
    total = torch.ones_like(words)
    left = words
    while bool((left > 1).any()):
        log = _log2(left)
        total = total + torch.where(left > 1, log + 1, 0)
        left = torch.where(left > 1, log, left)
    return total


def elias_lengths_torch(words: Tensor, kind: int) -> Tensor:
    """The same without a look at what is left: four logarithms bring any word to 1."""
    log = _log2(words)
    if kind == GAMMA:
        return 2 * log + 1
    total = torch.ones_like(words)
    left = words
    for _ in range(4):
        log = _log2(left)
        total = total + torch.where(left > 1, log + 1, 0)
        left = torch.where(left > 1, log, left)
    return total


def _log2(words: Tensor) -> Tensor:
    """floor(log2) of integers in [1, 2^53)."""
    return torch.frexp(words.to(torch.float64)).exponent.to(torch.int64) - 1

"""Lists of short records as bits: each column at a fixed width or in Golomb's code with m = 2^b.

The kernels walk the rows bit by bit, most significant first; a row starts where the last list left
it, so several lists follow one another. What is on another device is moved here first: bits are for
the wire.
"""

from __future__ import annotations

import numba
import numpy as np
import torch
from torch import Tensor


@numba.njit(cache=True, nogil=True)
def _put_bits(row, at, word, width):  # type: ignore[no-untyped-def]
    for left in range(width - 1, -1, -1):
        if (word >> np.uint64(left)) & np.uint64(1):
            row[at >> 3] |= np.uint8(128 >> (at & 7))
        at += 1
    return at


@numba.njit(cache=True, nogil=True)
def _get_bits(row, at, width):  # type: ignore[no-untyped-def]
    word = np.uint64(0)
    for _ in range(width):
        bit = (row[at >> 3] >> np.uint8(7 - (at & 7))) & np.uint8(1)
        word = (word << np.uint64(1)) | np.uint64(bit)
        at += 1
    return word, at


@numba.njit(cache=True, nogil=True)
def _write(out, start, count, columns, widths, golomb):  # type: ignore[no-untyped-def]
    rows, kinds, _ = columns.shape
    for i in range(rows):
        at = start[i]
        for e in range(count[i]):
            for c in range(kinds):
                word = np.uint64(columns[i, c, e])
                if golomb[c]:
                    word -= np.uint64(1)
                    for _ in range(np.int64(word >> np.uint64(widths[c]))):
                        at = _put_bits(out[i], at, np.uint64(1), 1)
                    at += 1
                at = _put_bits(out[i], at, word, widths[c])
        start[i] = at


@numba.njit(cache=True, nogil=True)
def _read(packed, start, end, count, columns, widths, golomb):  # type: ignore[no-untyped-def]
    rows, kinds, cap = columns.shape
    for i in range(rows):
        at, e = start[i], 0
        while e < cap and (e < count[i] or (count[i] < 0 and at < end[i])):
            for c in range(kinds):
                quotient = np.uint64(0)
                if golomb[c]:
                    while at < end[i] and (packed[i, at >> 3] >> np.uint8(7 - (at & 7))) & 1:
                        quotient += np.uint64(1)
                        at += 1
                    at += 1
                if at + widths[c] > end[i]:
                    return i
                word, at = _get_bits(packed[i], at, widths[c])
                if golomb[c]:
                    word += (quotient << np.uint64(widths[c])) + np.uint64(1)
                columns[i, c, e] = np.int64(word)
            e += 1
        start[i], count[i] = at, e
    return -1


def write(
    out: Tensor, start: Tensor, count: Tensor, columns: Tensor, widths: Tensor, golomb: Tensor
) -> None:
    """Write ``count`` ``[P]`` records: ``columns`` ``[P, C, cap]`` (int64) into ``out`` ``[P, B]``.

    ``out`` is bytes, zero where it is written. Rows go on from bit ``start`` ``[P]``, which is
    moved to their ends; ``widths`` ``[C]``, and for columns with ``golomb`` ``[C]`` (bool) the
    width b of the remainder, their symbols being >= 1.
    """
    _write(*(part.numpy() for part in (out, start, count, columns, widths, golomb)))


def read(
    packed: Tensor,
    start: Tensor,
    end: Tensor,
    count: Tensor,
    columns: Tensor,
    widths: Tensor,
    golomb: Tensor,
) -> None:
    """The inverse of :func:`write`: fills ``columns``; rows of ``count`` -1 are read to their end.

    ``start`` and ``count`` are set to where each row stopped and how many records it had.

    Raises:
        ValueError: a record goes beyond ``end`` ``[P]`` of its row.
    """
    arrays = (packed, start, end, count, columns, widths, golomb)
    broken = _read(*(part.numpy() for part in arrays))
    if broken >= 0:
        raise ValueError(
            f"the list of row {broken} ends within a record, at bit {int(end[broken])}"
        )


def lengths(count: Tensor, columns: Tensor, widths: Tensor, golomb: Tensor) -> Tensor:
    """Bits ``[P]`` that :func:`write` takes for each row."""
    total = count * int(widths.sum())
    meant = torch.arange(columns.shape[-1], device=columns.device) < count[:, None]
    for c in golomb.nonzero()[:, 0].tolist():
        unary = ((columns[:, c] - 1) >> int(widths[c])) + 1
        total = total + torch.where(meant, unary, 0).sum(-1)
    return total

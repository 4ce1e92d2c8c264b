"""Entropy codes of rows of small integers: arithmetic coding and canonical Huffman codes.

Both are told the histogram of the row. Arithmetic coding keeps 32-bit bounds (Witten, Neal, Cleary
1987); its last two bits name a point within the final interval. Huffman's code lengths are given
out in order of length, then symbol. What is on another device is moved here first.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit

_HALF, _QUARTER = 1 << 31, 1 << 30
_LONGEST = 63


@njit(cache=True, nogil=True)
def _emit(row, at, bit, pending, write):  # type: ignore[no-untyped-def]
    for k in range(1 + pending):
        b = bit if k == 0 else 1 - bit
        if write and b:
            row[at >> 3] |= np.uint8(128 >> (at & 7))
        at += 1
    return at


@njit(cache=True, nogil=True)
def _arithmetic_row(symbols, cumulative, row, at, write):  # type: ignore[no-untyped-def]
    total = cumulative[-1]
    low, high, pending = np.int64(0), np.int64((1 << 32) - 1), 0
    for s in symbols:
        width = high - low + 1
        high = low + width * cumulative[s + 1] // total - 1
        low = low + width * cumulative[s] // total
        while True:
            if high < _HALF:
                at, pending = _emit(row, at, 0, pending, write), 0
            elif low >= _HALF:
                at, pending = _emit(row, at, 1, pending, write), 0
                low, high = low - _HALF, high - _HALF
            elif low >= _QUARTER and high < 3 * _QUARTER:
                pending += 1
                low, high = low - _QUARTER, high - _QUARTER
            else:
                break
            low, high = 2 * low, 2 * high + 1
    return _emit(row, at, 0 if low < _QUARTER else 1, pending + 1, write)


@njit(cache=True, nogil=True, inline="always")
def _width_of(number):  # type: ignore[no-untyped-def]
    """Binary digits of a whole number below 2^53, 0 for 0: doubles keep them as their exponent."""
    return max((np.float64(number).view(np.int64) >> 52) - 1022, 0)


@njit(cache=True, nogil=True, error_model="numpy")
def _arithmetic_lengths(symbols, cumulative, lengths):  # type: ignore[no-untyped-def]
    """Lengths [bits] ``[P]`` of what :func:`_arithmetic_row` writes for rows ``[P, d]``: each
    doubling of the bounds is a bit, sooner or later, and two name a point within the last ones.

    Doublings are counted together: first those by leading bits in which the bounds agree, then
    those around the middle. Rows take turns, since the divisions of one wait for each other.
    """
    rows, last = symbols.shape[0], cumulative.shape[1] - 1
    mask, most = np.int64((1 << 32) - 1), np.int64(_HALF - 1)
    low, high = np.zeros(rows, np.int64), np.full(rows, mask)
    lengths[:] = 2
    for j in range(symbols.shape[1]):
        for i in range(rows):
            s, total = symbols[i, j], np.uint64(cumulative[i, last])
            width, bottom = np.uint64(high[i] - low[i] + 1), low[i]
            upper = np.int64(width * np.uint64(cumulative[i, s + 1]) // total) + bottom - 1
            lower = np.int64(width * np.uint64(cumulative[i, s]) // total) + bottom
            agree = 32 - _width_of(lower ^ upper)
            lower, upper = (lower << agree) & mask, ((upper + 1) << agree) - 1 & mask
            astride = 31 - _width_of((~lower | upper) & most)
            low[i] = (lower << astride) & most
            high[i] = (((upper + 1) << astride) - 1 & most) | _HALF
            lengths[i] += agree + astride


@njit(cache=True, nogil=True)
def _next(row, at, end):  # type: ignore[no-untyped-def]
    if at >= end:
        return 0
    return (row[at >> 3] >> (7 - (at & 7))) & 1


@njit(cache=True, nogil=True)
def _arithmetic_back(row, at, end, cumulative, out):  # type: ignore[no-untyped-def]
    total = cumulative[-1]
    low, high, value = np.int64(0), np.int64((1 << 32) - 1), np.int64(0)
    for _ in range(32):
        value = 2 * value + _next(row, at, end)
        at += 1
    for j in range(out.shape[0]):
        width = high - low + 1
        place = ((value - low + 1) * total - 1) // width
        s = np.searchsorted(cumulative, place, side="right") - 1
        out[j] = s
        high = low + width * cumulative[s + 1] // total - 1
        low = low + width * cumulative[s] // total
        while True:
            if high < _HALF:
                pass
            elif low >= _HALF:
                low, high, value = low - _HALF, high - _HALF, value - _HALF
            elif low >= _QUARTER and high < 3 * _QUARTER:
                low, high, value = low - _QUARTER, high - _QUARTER, value - _QUARTER
            else:
                break
            low, high = 2 * low, 2 * high + 1
            value = 2 * value + _next(row, at, end)
            at += 1


@njit(cache=True, nogil=True)
def _huffman_lengths(counts, lengths):  # type: ignore[no-untyped-def]
    k = counts.shape[0]
    lengths[:] = 0
    weight = np.empty(2 * k, dtype=np.int64)
    parent = np.full(2 * k, -1, dtype=np.int64)
    alive = np.zeros(2 * k, dtype=np.bool_)
    nodes, left = k, 0
    for s in range(k):
        weight[s] = counts[s]
        alive[s] = counts[s] > 0
        left += counts[s] > 0
    while left > 1:
        first, second = -1, -1
        for v in range(nodes):
            if alive[v]:
                if first < 0 or weight[v] < weight[first]:
                    first, second = v, first
                elif second < 0 or weight[v] < weight[second]:
                    second = v
        weight[nodes] = weight[first] + weight[second]
        alive[first], alive[second], alive[nodes] = False, False, True
        parent[first], parent[second] = nodes, nodes
        nodes, left = nodes + 1, left - 1
    for s in range(k):
        v = s
        while parent[v] >= 0:
            lengths[s] += 1
            v = parent[v]


@njit(cache=True, nogil=True)
def _canonical(lengths, words):  # type: ignore[no-untyped-def]
    word = np.int64(0)
    for length in range(1, _LONGEST):
        for s in range(lengths.shape[0]):
            if lengths[s] == length:
                words[s] = word
                word += 1
        word *= 2


@njit(cache=True, nogil=True)
def _huffman_row(symbols, counts, row, at, write):  # type: ignore[no-untyped-def]
    k = counts.shape[0]
    lengths, words = np.empty(k, dtype=np.int64), np.zeros(k, dtype=np.int64)
    _huffman_lengths(counts, lengths)
    if not write:
        return at + (lengths * counts).sum()
    _canonical(lengths, words)
    for s in symbols:
        for bit in range(lengths[s] - 1, -1, -1):
            if (words[s] >> bit) & 1:
                row[at >> 3] |= np.uint8(128 >> (at & 7))
            at += 1
    return at


@njit(cache=True, nogil=True)
def _huffman_back(row, at, end, counts, out):  # type: ignore[no-untyped-def]
    k = counts.shape[0]
    lengths, words = np.empty(k, dtype=np.int64), np.zeros(k, dtype=np.int64)
    _huffman_lengths(counts, lengths)
    _canonical(lengths, words)
    only = 0
    for s in range(k):
        if counts[s] > 0:
            only = s
    for j in range(out.shape[0]):
        word, length, found = np.int64(0), 0, only
        if lengths[only] > 0:
            found = -1
            while found < 0 and length < _LONGEST:
                word = 2 * word + _next(row, at, end)
                at, length = at + 1, length + 1
                for s in range(k):
                    if lengths[s] == length and words[s] == word:
                        found = s
        out[j] = found


@njit(cache=True, nogil=True)
def coded_into(symbols, counts, out, start, arithmetic, write, ends):  # type: ignore[no-untyped-def]
    """Ends ``[P]`` of the codes of rows that begin at ``start`` ``[P]``, which are written to
    ``out`` where ``write`` says so."""
    if arithmetic and not write and symbols.shape[1] > 0:
        cumulative = np.zeros((counts.shape[0], counts.shape[1] + 1), np.int64)
        for i in range(counts.shape[0]):
            cumulative[i, 1:] = np.cumsum(counts[i])
        _arithmetic_lengths(symbols, cumulative, ends)
        for i in range(counts.shape[0]):
            ends[i] += start[i]
        return
    for i in range(symbols.shape[0]):
        row = out[i] if write else out[0]
        if symbols.shape[1] == 0:
            ends[i] = start[i]
        elif arithmetic:
            cumulative = np.zeros(counts.shape[1] + 1, dtype=np.int64)
            cumulative[1:] = np.cumsum(counts[i])
            ends[i] = _arithmetic_row(symbols[i], cumulative, row, start[i], write)
        else:
            ends[i] = _huffman_row(symbols[i], counts[i], row, start[i], write)


@njit(cache=True, nogil=True)
def _back(packed, start, end, counts, arithmetic, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        if counts[i].sum() != out.shape[1]:
            out[i, :] = 0
        elif arithmetic:
            cumulative = np.zeros(counts.shape[1] + 1, dtype=np.int64)
            cumulative[1:] = np.cumsum(counts[i])
            _arithmetic_back(packed[i], start[i], end[i], cumulative, out[i])
        else:
            _huffman_back(packed[i], start[i], end[i], counts[i], out[i])


def histogram(symbols: Tensor, k: int) -> Tensor:
    """Counts of k symbols in each row: ``[P, k]`` of ``[P, count]``."""
    counts = torch.zeros((symbols.shape[0], k), dtype=torch.int64, device=symbols.device)
    return counts.scatter_add_(1, symbols, torch.ones_like(symbols))


def ends(symbols: Tensor, counts: Tensor, start: Tensor, arithmetic: bool) -> Tensor:
    """End of each row's code ``[P]`` if it began at bit ``start`` ``[P]``."""
    blank = torch.zeros((1, 1), dtype=torch.uint8)
    return _coded(symbols, counts, blank, start, arithmetic, False)


def write(symbols: Tensor, counts: Tensor, out: Tensor, start: Tensor, arithmetic: bool) -> Tensor:
    """Write rows ``[P, count]`` into ``out`` ``[P, B]``, zero there; returns their ends ``[P]``."""
    return _coded(symbols, counts, out, start, arithmetic, True)


def _coded(
    symbols: Tensor, counts: Tensor, out: Tensor, start: Tensor, arithmetic: bool, act: bool
) -> Tensor:
    found = torch.empty_like(start)
    parts = [part.contiguous().numpy() for part in (symbols, counts, out, start)]
    coded_into(*parts, arithmetic, act, found.numpy())
    return found


def read(
    packed: Tensor, start: Tensor, end: Tensor, counts: Tensor, count: int, arithmetic: bool
) -> Tensor:
    """Rows ``[P, count]`` back; zeros where the histogram does not hold ``count`` symbols."""
    out = torch.empty((packed.shape[0], count), dtype=torch.int64)
    parts = [part.contiguous().numpy() for part in (packed, start, end, counts)]
    _back(*parts, arithmetic, out.numpy())
    return out

"""AdaComp's words: places in bins, signs, and where a bin ends (Chen et al. 2018, 1712.02679)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels import entries
from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True)
def tops_row(row, size, out):  # type: ignore[no-untyped-def]
    """Largest magnitudes of the bins of a row ``[d]``."""
    for b in range(out.shape[0]):
        top = row.dtype.type(0)
        for j in range(b * size, min((b + 1) * size, row.shape[0])):
            v = abs(row[j])
            top = v if not v <= top else top  # NaN stays
        out[b] = top


@njit(cache=True, nogil=True)
def _tops(x, size, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        tops_row(x[i], size, out[i])


@njit(cache=True, nogil=True)
def sent_row(row, beside, size, tops, scale, level, mark):  # type: ignore[no-untyped-def]
    """1 above zero and 3 below where a coordinate is sent, else 0; how many words that takes.
    ``level`` is room for a row."""
    d, total = row.shape[0], np.int64(0)
    for b in range(tops.shape[0]):
        level[b * size : (b + 1) * size] = tops[b]
    some = np.uint8(scale > 0)
    for j in range(d):
        sent = np.uint8(abs(row[j] + beside[j]) >= level[j]) & np.uint8(row[j] != 0) & some
        mark[j] = sent * np.uint8(1 + 2 * np.uint8(row[j] < 0))
    for b in range(tops.shape[0]):
        own = np.int64(0)
        for j in range(b * size, min((b + 1) * size, d)):
            own += np.int64(mark[j] & 1)
        total += max(own, np.int64(1))
    return total


@njit(cache=True, nogil=True)
def _sent(x, guide, size, tops, scale, marks, count):  # type: ignore[no-untyped-def]
    level = np.empty(x.shape[1], dtype=x.dtype)
    for i in range(x.shape[0]):
        count[i] = sent_row(x[i], guide[i], size, tops[i], scale[i], level, marks[i])


@njit(cache=True, nogil=True)
def _words(sent, size, none, places, marks):  # type: ignore[no-untyped-def]
    d, bins = sent.shape[1], -(-sent.shape[1] // size)
    place, mark = np.empty(d + bins + 1, dtype=np.int16), np.empty(d + bins + 1, dtype=np.uint8)
    for i in range(sent.shape[0]):
        row, at = sent[i], np.int64(0)
        for b in range(bins):
            start = at
            for j in range(b * size, min((b + 1) * size, d)):
                place[at], mark[at] = j - b * size, row[j] >> 1
                at += np.int64(row[j] & 1)
            if at == start:
                place[at], mark[at] = none, 0
                at += 1
            mark[at - 1] |= 2
        places[i, :at], marks[i, :at] = place[:at], mark[:at]
        places[i, at:], marks[i, at:] = 0, 0


@njit(cache=True, nogil=True)
def _owned(count, places, marks, bins, size, none, scale, positions, values):  # type: ignore[no-untyped-def]
    zero = scale.dtype.type(0)
    for i in range(places.shape[0]):
        owner, top = bins[i], scale[i]
        for e in range(places.shape[1]):
            some = (e < count[i]) & (places[i, e] < none)
            positions[i, e] = owner * size + places[i, e] if some else 0
            value = -top if marks[i, e] & 1 else top
            values[i, e] = value if some else zero
            owner += marks[i, e] >> 1


def bin_tops(x: Tensor, size: int) -> Tensor:
    """Largest magnitudes ``[..., m, bins]`` of rows by bins of ``size``, the last one shorter, on a
    CPU."""
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    out = torch.empty((*x.shape[:-1], -(-x.shape[-1] // size)), dtype=x.dtype)
    _tops(rows.numpy(), size, out.view(len(rows), -1).numpy())
    return out


def words(
    x: Tensor, guide: Tensor, size: int, none: int, tops: Tensor, scale: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Counts ``[..., m, 1]``, places in their bins (int16) and marks (uint8) ``[..., m, cap]``.

    Sent is what |x + guide| >= the top of its bin, x and ``scale`` ``[..., m, 1]`` not 0; of a bin
    that sends nothing the place ``none``. A mark is 1 below zero, + 2 at the last of a bin. On a
    CPU.
    """
    rows, beside, highest = (
        v.detach().reshape(-1, v.shape[-1]).contiguous() for v in (x, guide, tops)
    )
    sent = torch.empty(rows.shape, dtype=torch.uint8)
    count = torch.empty(len(rows), dtype=torch.int64)
    scales = scale.reshape(-1).contiguous().numpy()
    _sent(rows.numpy(), beside.numpy(), size, highest.numpy(), scales, sent.numpy(), count.numpy())
    cap = entries.blank(count, x.shape[-1]).shape[-1]
    places = torch.empty((len(rows), cap), dtype=torch.int16)
    marks = torch.empty((len(rows), cap), dtype=torch.uint8)
    _words(sent.numpy(), size, none, places.numpy(), marks.numpy())
    lead = x.shape[:-1]
    return count.reshape(*lead, 1), places.reshape(*lead, cap), marks.reshape(*lead, cap)


def owned(
    count: Tensor, places: Tensor, marks: Tensor, bins: Tensor, size: int, none: int,
    scale: Tensor, dtype: torch.dtype,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Positions (of ``dtype``) and values ``[..., m, cap]`` of words, ``bins`` ``[..., m, 1]``
    having ended before; zeros where nothing is sent. On a CPU."""
    cap = places.shape[-1]
    positions, values = torch.empty(places.shape, dtype=dtype), scale.new_empty(places.shape)
    lists = (v.reshape(-1, cap).contiguous().numpy() for v in (places, marks))
    number, before, top = (v.reshape(-1).contiguous().numpy() for v in (count, bins, scale))
    there = (v.view(-1, cap).numpy() for v in (positions, values))
    _owned(number, *lists, before, size, none, top, *there)
    return positions, values

"""Count sketches whose hashes are drawn row by row just before use (see ``sketch``).

The numbers are those of ``integers``: (word * 2 width) >> 32 for each row of hashes and coordinate.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.philox import Counters, block


@njit(cache=True, nogil=True)
def room_for_hashes(rows, d):  # type: ignore[no-untyped-def]
    """Room for the hashes of a row of d numbers."""
    return np.empty(-(-rows * d // 4) * 4, dtype=np.uint32)


@njit(cache=True, nogil=True)
def hashes_row(k0, k1, replica, worker, high, out):  # type: ignore[no-untyped-def]
    """Fills ``out``, whose length is a multiple of 4."""
    top, shift = np.uint64(high), np.uint64(32)
    for b in range(out.shape[0] // 4):
        w0, w1, w2, w3 = block(b, worker, replica, 0, k0, k1)
        out[4 * b] = np.uint32((w0 * top) >> shift)
        out[4 * b + 1] = np.uint32((w1 * top) >> shift)
        out[4 * b + 2] = np.uint32((w2 * top) >> shift)
        out[4 * b + 3] = np.uint32((w3 * top) >> shift)


@njit(cache=True, nogil=True)
def sketch_row(row, hashed, out):  # type: ignore[no-untyped-def]
    """The sketch ``[rows, width]`` of a row ``[d]`` by its hashes."""
    d = row.shape[0]
    out[:] = 0
    for r in range(out.shape[0]):
        code, sums = hashed[r * d : (r + 1) * d], out[r]
        for j in range(d):
            v = row[j]
            sums[code[j] >> np.uint32(1)] += v if code[j] & np.uint32(1) else -v


@njit(cache=True, nogil=True)
def _sketch(x, k0, k1, replicas, workers, out):  # type: ignore[no-untyped-def]
    hashed = room_for_hashes(out.shape[1], x.shape[1])
    for i in range(x.shape[0]):
        hashes_row(k0, k1, replicas[i], workers[i], 2 * out.shape[2], hashed)
        sketch_row(x[i], hashed, out[i])


@njit(cache=True, nogil=True)
def _middle(table, hashed, found, row):  # type: ignore[no-untyped-def]
    """The median of what any number of rows of a table say of each coordinate."""
    rows, d, two = table.shape[0], row.shape[0], row.dtype.type(2)
    for j in range(d):
        for r in range(rows):
            v = table[r, hashed[r * d + j]]
            at = r
            while at > 0 and found[at - 1] > v:
                found[at] = found[at - 1]
                at -= 1
            found[at] = v
        row[j] = (found[(rows - 1) // 2] + found[rows // 2]) / two


@njit(cache=True, nogil=True)
def estimates_row(sketch, hashed, table, found, row):  # type: ignore[no-untyped-def]
    """Estimate a row ``[d]`` from a sketch ``[rows, width]``; ``table`` ``[rows, 2 width]`` and
    ``found`` ``[rows]`` are room."""
    (rows, width), d, two = sketch.shape, row.shape[0], row.dtype.type(2)
    for r in range(rows):
        for c in range(width):
            table[r, 2 * c], table[r, 2 * c + 1] = -sketch[r, c], sketch[r, c]
    if rows == 1:
        for j in range(d):
            v = table[0, hashed[j]]
            row[j] = (v + v) / two
    elif rows == 3:
        one, other, last = hashed[:d], hashed[d : 2 * d], hashed[2 * d : 3 * d]
        for j in range(d):
            a, b, c = table[0, one[j]], table[1, other[j]], table[2, last[j]]
            v = max(min(a, b), min(max(a, b), c))
            row[j] = (v + v) / two
    else:
        _middle(table, hashed, found, row)


@njit(cache=True, nogil=True)
def _estimates(sketches, k0, k1, replicas, workers, out):  # type: ignore[no-untyped-def]
    _, rows, width = sketches.shape
    hashed, found = room_for_hashes(rows, out.shape[1]), np.empty(rows, dtype=out.dtype)
    table = np.empty((rows, 2 * width), dtype=out.dtype)
    for i in range(out.shape[0]):
        hashes_row(k0, k1, replicas[i], workers[i], 2 * width, hashed)
        estimates_row(sketches[i], hashed, table, found, out[i])


def drawn_sketch(x: Tensor, counters: Counters, rows: int, width: int) -> Tensor:
    """Sketches ``[P, rows, width]`` of x ``[P, d]`` on a CPU; hashes are drawn for each row."""
    out = torch.empty((len(x), rows, width), dtype=x.dtype)
    ids = counters.k0, counters.k1, counters.replicas.numpy(), counters.workers.numpy()
    _sketch(x.detach().contiguous().numpy(), *ids, out.numpy())
    return out


def drawn_estimates(sketches: Tensor, counters: Counters, d: int) -> Tensor:
    """The median of the rows' estimates ``[P, d]`` of sketches ``[P, rows, width]`` on a CPU."""
    out = torch.empty((len(sketches), d), dtype=sketches.dtype)
    ids = counters.k0, counters.k1, counters.replicas.numpy(), counters.workers.numpy()
    _estimates(sketches.detach().contiguous().numpy(), *ids, out.numpy())
    return out

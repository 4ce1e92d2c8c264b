"""The k largest magnitudes of a row, ties to the lowest index, in ascending order of index.

Magnitudes are compared as the integers that their bits are. The row is dealt to lanes and the k-th
largest of the lanes' maxima found by bisection: k keys at least reach it, few more as a rule, and
the same bisection among those few ends exactly. What the rows hold decides how many pass the first
stage, never the result.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit

_LANES = 16  # lanes come in multiples of this, and at least four for each key wanted
_BLOCK = 32  # keys looked at together when those above a level are collected


@njit(cache=True, nogil=True)
def _edge(keys, k, most):  # type: ignore[no-untyped-def]
    """A level that k keys or more reach: at most ``most`` do, or it is the k-th largest key."""
    high = np.int64(0)
    for key in keys:
        high = max(high, np.int64(key))
    low = np.int64(0)
    while low < high:
        middle = high - (high - low) // 2
        level = keys.dtype.type(middle)
        count = np.int32(0)
        for j in range(keys.shape[0]):
            count = np.int32(count + (keys[j] >= level))
        if count < k:
            high = middle - 1
            continue
        low = middle
        if count <= most:
            break
    return low


@njit(cache=True, nogil=True)
def _tops(bits, mask, tops):  # type: ignore[no-untyped-def]
    """Largest key of each lane; key j, the magnitude's bits, is in lane j modulo their number."""
    lanes = tops.shape[0]
    tops[:] = 0
    for start in range(0, bits.shape[0], lanes):
        part = bits[start : start + lanes]
        for j in range(part.shape[0]):
            tops[j] = max(tops[j], tops.dtype.type(part[j] & mask))


@njit(cache=True, nogil=True)
def _reached(bits, mask, level):  # type: ignore[no-untyped-def]
    """How many keys reach the level."""
    count = np.int32(0)
    least = bits.dtype.type(level)
    for j in range(bits.shape[0]):
        count = np.int32(count + (bits.dtype.type(bits[j] & mask) >= least))
    return count


@njit(cache=True, nogil=True)
def _collect(bits, mask, level, found):  # type: ignore[no-untyped-def]
    """Places of the keys that reach the level, in ascending order; ``found`` has one slot more."""
    count = 0
    least = bits.dtype.type(level)
    for start in range(0, bits.shape[0], _BLOCK):
        part = bits[start : start + _BLOCK]
        reached = False
        for j in range(part.shape[0]):
            reached |= bits.dtype.type(part[j] & mask) >= least
        if reached:
            for j in range(part.shape[0]):
                found[count] = start + j
                count += bits.dtype.type(part[j] & mask) >= least


@njit(cache=True, nogil=True)
def largest_into(bits, mask, k, out):  # type: ignore[no-untyped-def]
    """Indices of the k largest magnitudes, ``mask``ed bits of rows ``[P, d]``, into ``[P, k]``."""
    rows, d = bits.shape
    lanes = min(d, (4 * k + _LANES - 1) // _LANES * _LANES)
    tops = np.empty(lanes, dtype=bits.dtype)
    for i in range(rows):
        _tops(bits[i], mask, tops)
        level = _edge(tops, k, k + k // 8)
        count = _reached(bits[i], mask, level)
        found, chosen = np.empty(count + 1, dtype=np.int32), np.empty(count, dtype=bits.dtype)
        _collect(bits[i], mask, level, found)
        for c in range(count):
            chosen[c] = bits[i, found[c]] & mask
        edge = _edge(chosen, k, k)
        ties = k
        for c in range(count):
            ties -= chosen[c] > edge
        filled = 0
        for c in range(count):
            tied = chosen[c] == edge and ties > 0
            if tied or chosen[c] > edge:
                ties -= tied
                out[i, filled] = found[c]
                filled += 1


def largest_numba(x: Tensor, k: int) -> Tensor:
    """Indices ``[P, k]`` (int64) of the k largest magnitudes of rows ``[P, d]``."""
    integer, mask = (
        (torch.int32, np.int32(0x7FFFFFFF))
        if x.dtype == torch.float32
        else (torch.int64, np.int64(0x7FFFFFFFFFFFFFFF))
    )
    out = torch.empty((x.shape[0], k), dtype=torch.int64)
    largest_into(x.detach().contiguous().view(integer).numpy(), mask, k, out.numpy())
    return out


def largest_torch(x: Tensor, k: int) -> Tensor:
    """The twin of :func:`largest_numba`, equal."""
    order = x.abs().sort(dim=-1, descending=True, stable=True).indices
    return order[:, :k].sort(dim=-1).values


def largest(x: Tensor, k: int) -> Tensor:
    """Indices ``[..., m, k]`` of the k largest magnitudes of rows ``[..., m, d]``, ascending.

    NaN counts as larger than any number.
    """
    act = largest_torch if by_torch(x) else largest_numba
    return act(x.reshape(-1, x.shape[-1]), k).reshape(*x.shape[:-1], k)

"""Whether numbers are finite, and the ends of rows: read off the bits, in vectors.

The bits of an IEEE magnitude rise with it, infinity above all numbers and NaN above infinity; so
integer comparisons, which compilers turn into vectors, do for floating ones, which they do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, integer_view, magnitude_mask, njit

_INTEGER = {
    torch.float32: (np.int32, np.int32(0x7FFFFFFF)),
    torch.float64: (np.int64, np.int64(0x7FFFFFFFFFFFFFFF)),
}
_INFINITE = {torch.float32: 0x7F800000, torch.float64: 0x7FF0000000000000}


@njit(cache=True, nogil=True)
def top_of(bits, mask):  # type: ignore[no-untyped-def]
    """Largest magnitude of a row, as its bits."""
    top = bits.dtype.type(0)
    for j in range(bits.shape[0]):
        top = max(top, bits.dtype.type(bits[j] & mask))
    return top


@njit(cache=True, nogil=True)
def tops_into(bits, mask, out):  # type: ignore[no-untyped-def]
    """Bits of the largest magnitude of rows ``[P, d]``, into out ``[P]``."""
    for i in range(bits.shape[0]):
        out[i] = top_of(bits[i], mask)


@njit(cache=True, nogil=True)
def tops_of(x):  # type: ignore[no-untyped-def]
    """Largest magnitudes of rows ``[P, d]``, within compiled code; NaN is larger than any."""
    out = np.empty(x.shape[0], x.dtype)
    tops_into(integer_view(x), magnitude_mask(x), integer_view(out))
    return out


@njit(cache=True, nogil=True)
def ends_into(bits, mask, out):  # type: ignore[no-untyped-def]
    """Least and largest, as integers in the order of what they stand for."""
    sign = 8 * bits.itemsize - 1
    for i in range(bits.shape[0]):
        row = bits[i]
        low = bits.dtype.type(mask)
        high = bits.dtype.type(-mask - 1)
        for j in range(row.shape[0]):
            key = bits.dtype.type(row[j] ^ ((row[j] >> sign) & mask))
            low, high = min(low, key), max(high, key)
        out[i, 0] = low ^ ((low >> sign) & mask)
        out[i, 1] = high ^ ((high >> sign) & mask)


def bits_of(x: Tensor) -> tuple[Any, Any]:
    """The bits of contiguous x as an array of integers, and the mask of a magnitude's bits."""
    kind, mask = _INTEGER[x.dtype]
    return x.detach().numpy().view(kind), mask


def all_finite(x: Tensor) -> bool:
    """Whether no entry is NaN or infinite."""
    if by_torch(x) or x.dtype not in _INTEGER or not x.is_contiguous():
        return bool(torch.isfinite(x).all())
    bits, mask = bits_of(x)
    return bool(top_of(bits.reshape(-1), mask) < _INFINITE[x.dtype])


def tops_torch(x: Tensor) -> Tensor:
    """The twin of :func:`tops`, equal bit for bit."""
    return x.abs().amax(-1, keepdim=True)


def tops(x: Tensor) -> Tensor:
    """Largest magnitude ``[..., m, 1]`` of rows ``[..., m, d]``; NaN counts as larger than any."""
    if by_torch(x):
        return tops_torch(x)
    bits, mask = bits_of(x.reshape(-1, x.shape[-1]).contiguous())
    out = torch.empty((*x.shape[:-1], 1), dtype=x.dtype)
    tops_into(bits, mask, bits_of(out.view(-1))[0])
    return out


def ends_torch(x: Tensor) -> tuple[Tensor, Tensor]:
    """The twin of :func:`ends`, equal where no row holds NaN."""
    low, high = torch.aminmax(x, dim=-1, keepdim=True)
    return low, high


def ends(x: Tensor) -> tuple[Tensor, Tensor]:
    """Least and largest ``[..., m, 1]`` of rows ``[..., m, d]``; one of them is NaN if a row holds
    it."""
    if by_torch(x):
        return ends_torch(x)
    bits, mask = bits_of(x.reshape(-1, x.shape[-1]).contiguous())
    out = torch.empty((*x.shape[:-1], 2), dtype=x.dtype)
    ends_into(bits, mask, bits_of(out.view(-1, 2))[0])
    return out[..., :1], out[..., 1:]

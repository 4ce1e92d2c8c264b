"""Norms and magnitudes of rows, in a fixed order: a row gives the same among one or a thousand.

Reductions of array libraries choose their order by shape and thread count; these sums are taken in
lanes (``lanes``).
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.simd_sums import LANES, summing

_SAFE_LOW, _SAFE_HIGH = 1e-270, 1e300


@njit(nogil=True, forceinline=True)
def _square(v, factor):  # type: ignore[no-untyped-def]
    scaled = v * factor
    return scaled * scaled, 0.0


@njit(nogil=True, forceinline=True)
def _magnitude(v, edge):  # type: ignore[no-untyped-def]
    return abs(v), 0.0


@njit(nogil=True, forceinline=True)
def _sides(v, edge):  # type: ignore[no-untyped-def]
    return 0.0 if v < 0 else v, 0.0 if v > 0 else -v


_squares, _magnitudes, _both = summing(_square), summing(_magnitude), summing(_sides)


@njit(cache=True, nogil=True)
def norms_into(x, out):  # type: ignore[no-untyped-def]
    """Euclidean norms of rows ``[P, d]`` into ``[P]``."""
    lanes = np.empty((2, LANES))
    for i in range(x.shape[0]):
        total = _squares(x[i], 1.0, lanes)[0]
        if _SAFE_LOW < total < _SAFE_HIGH:
            out[i] = math.sqrt(total)
            continue
        largest = 0.0
        for j in range(x.shape[1]):
            largest = max(largest, abs(np.float64(x[i, j])))
        if largest == 0.0 or not largest < np.inf:
            out[i] = math.sqrt(total)
            continue
        power = min(max(math.frexp(largest)[1], -1000), 1000)
        scaled = _squares(x[i], math.ldexp(1.0, -power), lanes)[0]
        out[i] = math.sqrt(scaled) * math.ldexp(1.0, power)


@njit(cache=True, nogil=True)
def sum_of_magnitudes(row):  # type: ignore[no-untyped-def]
    """Sum of absolute values of one row, in lanes."""
    return _magnitudes(row, 0.0, np.empty((2, LANES)))[0]


@njit(cache=True, nogil=True)
def _norms_of_parts(x, sizes, out):  # type: ignore[no-untyped-def]
    start = 0
    for part in range(sizes.shape[0]):
        stop = start + sizes[part]
        norms_into(x[:, start:stop], out[:, part])
        start = stop


@njit(cache=True, nogil=True)
def _abs_sums(x, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        out[i] = sum_of_magnitudes(x[i])


@njit(cache=True, nogil=True)
def signed_sum(row):  # type: ignore[no-untyped-def]
    """Signed sum: positive part less negative part, each in lanes."""
    above, below = _both(row, 0.0, np.empty((2, LANES)))
    return above - below


def _lane_sum(terms: Tensor) -> Tensor:
    """The same sum ``[P]`` of terms ``[P, d]`` (float64): lanes by cumulative sums."""
    rows, d = terms.shape
    padded = torch.nn.functional.pad(terms, (0, -d % LANES)).reshape(rows, -1, LANES)
    lane = padded.cumsum(1)[:, -1].unbind(-1)
    left = (lane[0] + lane[4]) + (lane[2] + lane[6])
    right = (lane[1] + lane[5]) + (lane[3] + lane[7])
    return left + right


def _power_of_two(exponent: Tensor) -> Tensor:
    """2^exponent (float64, exact) for exponents within [-1022, 1023]."""
    return ((exponent.to(torch.int64) + 1023) << 52).view(torch.float64)


def exact_sqrt(x: Tensor) -> Tensor:
    """Correctly rounded square roots; torch's on CPUs can be off by one in the last place."""
    return torch.from_numpy(np.sqrt(x.numpy())) if x.is_cpu else x.sqrt()


def norms_torch(x: Tensor) -> Tensor:
    """Euclidean norms ``[P]`` (float64) of rows ``[P, d]``: the twin of :func:`norms_into`, equal
    bit for bit on CPUs."""
    wide = x.detach().to(torch.float64)
    total = _lane_sum(wide * wide)
    largest = wide.abs().amax(-1)
    power = torch.frexp(largest).exponent.clamp(-1000, 1000)
    scaled = wide * _power_of_two(-power)[:, None]
    safe = (total > _SAFE_LOW) & (total < _SAFE_HIGH) | (largest == 0) | ~torch.isfinite(largest)
    far = exact_sqrt(_lane_sum(scaled * scaled)) * _power_of_two(power)
    return torch.where(safe, exact_sqrt(total), far)


def abs_sums_numba(x: Tensor) -> Tensor:
    """Sums of absolute values ``[P]`` (float64) of rows ``[P, d]``."""
    out = np.empty(x.shape[0])
    _abs_sums(x.detach().numpy(), out)
    return torch.from_numpy(out)


def abs_sums_torch(x: Tensor) -> Tensor:
    """The twin of :func:`abs_sums_numba`, equal bit for bit on CPUs."""
    return _lane_sum(x.to(torch.float64).abs())


def norms(x: Tensor) -> Tensor:
    """Euclidean norms ``[..., m, 1]`` of rows ``[..., m, d]``, rounded to the dtype of x.

    Rows are scaled by a power of two where squares would leave the range of doubles.
    """
    flat, shape = x.reshape(-1, x.shape[-1]).contiguous(), (*x.shape[:-1], 1)
    if by_torch(x):
        return norms_torch(flat).to(x.dtype).reshape(shape)
    out = torch.empty(shape, dtype=x.dtype)
    norms_into(flat.detach().numpy(), out.view(-1).numpy())
    return out


def norms_of_parts_torch(x: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """The twin of :func:`norms_of_parts`, equal bit for bit on CPUs."""
    return torch.cat([norms(part) for part in torch.split(x, list(sizes), -1)], -1)


def norms_of_parts(x: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Norms ``[..., m, parts]`` of consecutive parts of rows ``[..., m, d]``, each as by
    :func:`norms`."""
    if by_torch(x):
        return norms_of_parts_torch(x, sizes)
    out = torch.empty((*x.shape[:-1], len(sizes)), dtype=x.dtype)
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous().numpy()
    _norms_of_parts(rows, np.array(sizes), out.view(-1, len(sizes)).numpy())
    return out


def mean_abs(x: Tensor) -> Tensor:
    """Mean absolute value ``[..., m, 1]`` of rows ``[..., m, d]``, rounded to the dtype of x."""
    flat = x.reshape(-1, x.shape[-1]).contiguous()
    values = abs_sums_torch(flat) if by_torch(x) else abs_sums_numba(flat)
    return (values / x.shape[-1]).to(x.dtype).reshape(*x.shape[:-1], 1)

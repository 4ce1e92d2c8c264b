"""Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3").

The counter of a block is (block number, worker, replica, 0), the key two 32-bit words; so each
number is a pure function of (key, replica, worker, position). This is Random123's 4x32 variant
with 10 rounds; numpy's ``Philox`` is the 4x64 variant and gives other numbers.

Doubles take two words each, floats one. Normals are Box-Muller pairs in double precision, of
logarithms and sines of our own (``box_muller``); the twin takes torch's, so the two agree to
rounding, words and uniforms bit for bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.kernels.box_muller import radii, turns
from algorithms.kernels.compiled import njit

_M0, _M1 = 0xD2511F53, 0xCD9E8D57
_W0, _W1 = 0x9E3779B9, 0xBB67AE85
_MASK = 0xFFFFFFFF
_TWO53 = 1.0 / (1 << 53)
_TWO24 = 1.0 / (1 << 24)
_PAIRS = 128

Words = NDArray[np.uint32]


class Counters(NamedTuple):
    """Inputs to the random numbers of rows: key words, replica and worker ids ``[P]``.

    Kernels that need each number once take these and never write the numbers to memory.

    Attributes:
        k0: first word of the key.
        k1: second word of the key.
        replicas: replica ids ``[P]``.
        workers: worker ids ``[P]``.
    """

    k0: int
    k1: int
    replicas: Tensor
    workers: Tensor


@njit(cache=True, nogil=True, inline="always")
def block(c0, c1, c2, c3, k0, k1):  # type: ignore[no-untyped-def]
    """Four words of 32 bits of Philox4x32-10: ten rounds on the counter (c0, c1, c2, c3), key
    (k0, k1)."""
    c0 = np.uint64(c0)
    c1 = np.uint64(c1)
    c2 = np.uint64(c2)
    c3 = np.uint64(c3)
    k0 = np.uint64(k0)
    k1 = np.uint64(k1)
    mask = np.uint64(_MASK)
    shift = np.uint64(32)
    for _ in range(10):
        p0 = np.uint64(_M0) * c0
        p1 = np.uint64(_M1) * c2
        c0 = (p1 >> shift) ^ c1 ^ k0
        c1 = p1 & mask
        c2 = (p0 >> shift) ^ c3 ^ k1
        c3 = p0 & mask
        k0 = (k0 + np.uint64(_W0)) & mask
        k1 = (k1 + np.uint64(_W1)) & mask
    return c0, c1, c2, c3


@njit(cache=True, nogil=True)
def integers_row(k0, k1, replica, worker, high, row):  # type: ignore[no-untyped-def]
    """Fill one row (int64) with the integers in [0, high) of one (replica, worker)."""
    count = row.shape[0]
    top, shift = np.uint64(high), np.uint64(32)
    for b in range((count + 3) // 4):
        w0, w1, w2, w3 = block(b, worker, replica, 0, k0, k1)
        j = 4 * b
        row[j] = (w0 * top) >> shift
        if j + 1 < count:
            row[j + 1] = (w1 * top) >> shift
        if j + 2 < count:
            row[j + 2] = (w2 * top) >> shift
        if j + 3 < count:
            row[j + 3] = (w3 * top) >> shift


@njit(cache=True, nogil=True)
def _fill_integers(k0, k1, replicas, workers, high, apart, out):  # type: ignore[no-untyped-def]
    for p in range(out.shape[0]):
        integers_row(k0, k1, replicas[p], workers[p], high, out[p])
        if apart:
            for j in range(out.shape[1]):
                out[p, j] += workers[p] * apart


@njit(cache=True, nogil=True)
def _double(high, low):  # type: ignore[no-untyped-def]
    # through int32, which processors convert in vectors; 27 and 26 bits fit
    wide = np.float64(np.int32(high >> np.uint64(5))) * 67108864.0
    return (wide + np.float64(np.int32(low >> np.uint64(6)))) * _TWO53


@njit(cache=True, nogil=True)
def _double_row(k0, k1, replica, worker, row, first):  # type: ignore[no-untyped-def]
    count = row.shape[0]
    for b in range(count // 2):
        w0, w1, w2, w3 = block(first // 2 + b, worker, replica, 0, k0, k1)
        row[2 * b] = _double(w0, w1)
        row[2 * b + 1] = _double(w2, w3)
    if count % 2:
        w0, w1, _, _ = block((first + count) // 2, worker, replica, 0, k0, k1)
        row[count - 1] = _double(w0, w1)


@njit(cache=True, nogil=True)
def _float_row(k0, k1, replica, worker, row, first):  # type: ignore[no-untyped-def]
    count = row.shape[0]
    eight, unit = np.uint64(8), np.float32(_TWO24)
    for b in range(count // 4):
        w0, w1, w2, w3 = block(first // 4 + b, worker, replica, 0, k0, k1)
        row[4 * b] = np.float32(np.int32(w0 >> eight)) * unit
        row[4 * b + 1] = np.float32(np.int32(w1 >> eight)) * unit
        row[4 * b + 2] = np.float32(np.int32(w2 >> eight)) * unit
        row[4 * b + 3] = np.float32(np.int32(w3 >> eight)) * unit
    last = block((first + count) // 4, worker, replica, 0, k0, k1)
    for j in range(count - count % 4, count):
        row[j] = np.float32(np.int32(last[j % 4] >> eight)) * unit


@njit(cache=True, nogil=True)
def uniform_row(k0, k1, replica, worker, row, first=0):  # type: ignore[no-untyped-def]
    """Fill one row of float32 or float64 with the uniforms of one (replica, worker), from number
    ``first`` on, a multiple of 4."""
    if row.itemsize == 8:
        _double_row(k0, k1, replica, worker, row, first)
    else:
        _float_row(k0, k1, replica, worker, row, first)


@njit(cache=True, nogil=True)
def _fill_uniforms(k0, k1, replicas, workers, first, out):  # type: ignore[no-untyped-def]
    for p in range(out.shape[0]):
        uniform_row(k0, k1, replicas[p], workers[p], out[p], first)


@njit(cache=True, nogil=True)
def uniforms_of_steps(words, replicas, workers, out):  # type: ignore[no-untyped-def]
    """The first uniform of the draws with key words ``[T, 2]``, into out ``[T, R, n]``."""
    for i in range(out.shape[0]):
        for r in range(out.shape[1]):
            for w in range(out.shape[2]):
                uniform_row(words[i, 0], words[i, 1], replicas[r], workers[w], out[i, r, w : w + 1])


@njit(cache=True, nogil=True)
def normals_into(k0, k1, replicas, workers, out):  # type: ignore[no-untyped-def]
    """Standard normals ``[P, count]``; short rows together, long ones in parts, _PAIRS pairs at a
    time, in vectors."""
    count = out.shape[1]
    half = (count + 1) // 2
    together = max(1, _PAIRS // max(half, 1))
    most = together * min(half, _PAIRS)
    u, v, radius = np.empty(most), np.empty(most), np.empty(most)
    cosine, sine = np.empty(most), np.empty(most)
    for p in range(0, out.shape[0], together):
        rows = range(p, min(p + together, out.shape[0]))
        for start in range(0, half, _PAIRS):
            n = min(_PAIRS, half - start)
            for i, row in enumerate(rows):
                for b in range(n):
                    w0, w1, w2, w3 = block(start + b, workers[row], replicas[row], 0, k0, k1)
                    u[i * n + b], v[i * n + b] = _double(w0, w1), _double(w2, w3)
            radii(u, radius, len(rows) * n)
            turns(v, cosine, sine, len(rows) * n)
            whole = min(n, count // 2 - start)
            for i, row in enumerate(rows):
                for b in range(whole):
                    j = 2 * (start + b)
                    out[row, j] = radius[i * n + b] * cosine[i * n + b]
                    out[row, j + 1] = radius[i * n + b] * sine[i * n + b]
                if whole < n:
                    out[row, count - 1] = radius[i * n + whole] * cosine[i * n + whole]


def integers_numba(
    k0: int, k1: int, replicas: Tensor, workers: Tensor, count: int, high: int, apart: int = 0
) -> Tensor:
    """Integers in [0, high) ``[P, count]`` (int64), high at most 2^31: (word * high) >> 32; those
    of worker w are ``apart`` w larger."""
    out = torch.empty((replicas.numel(), count), dtype=torch.int64)
    _fill_integers(k0, k1, replicas.numpy(), workers.numpy(), high, apart, out.numpy())
    return out


def uniform_numba(
    k0: int, k1: int, replicas: Tensor, workers: Tensor, count: int, dtype: torch.dtype,
    first: int = 0,
) -> Tensor:  # fmt: skip
    """Uniforms in [0, 1) ``[P, count]``, from number ``first`` of each row on, a multiple of 4."""
    out = torch.empty((replicas.numel(), count), dtype=dtype)
    _fill_uniforms(k0, k1, replicas.numpy(), workers.numpy(), first, out.numpy())
    return out


def normal_numba(
    k0: int, k1: int, replicas: Tensor, workers: Tensor, count: int, dtype: torch.dtype
) -> Tensor:
    """Standard normals ``[P, count]``."""
    out = torch.empty((replicas.numel(), count), dtype=dtype)
    normals_into(k0, k1, replicas.numpy(), workers.numpy(), out.numpy())
    return out


def _high_low(a: Tensor, multiplier: int) -> tuple[Tensor, Tensor]:
    """High and low 32 bits of a * multiplier, both below 2^32, in int64 without overflow."""
    low_half = (a & 0xFFFF) * multiplier
    high_half = (a >> 16) * multiplier
    high = (high_half + (low_half >> 16)) >> 16
    low = ((high_half << 16) + low_half) & _MASK
    return high, low


def words_torch(
    k0: int, k1: int, replicas: Tensor, workers: Tensor, count: int, first: int = 0
) -> Tensor:
    """32-bit words as int64 ``[P, count]`` for P (replica, worker) pairs: the twin of
    :func:`block` in torch int64 operations, on any device.

    From word ``first`` of each row on, a multiple of 4.
    """
    blocks = (count + 3) // 4
    c0 = first // 4 + torch.arange(blocks, device=workers.device)
    c0 = c0.expand(workers.numel(), blocks)
    c1 = workers[:, None].expand_as(c0)
    c2 = replicas[:, None].expand_as(c0)
    c3 = torch.zeros_like(c1)
    for _ in range(10):
        h0, l0 = _high_low(c0, _M0)
        h1, l1 = _high_low(c2, _M1)
        c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
        k0, k1 = (k0 + _W0) & _MASK, (k1 + _W1) & _MASK
    words = torch.stack((c0, c1, c2, c3), dim=-1)
    return words.reshape(workers.numel(), 4 * blocks)[:, :count]


def integers_torch(
    k0: int, k1: int, replicas: Tensor, workers: Tensor, count: int, high: int, apart: int = 0
) -> Tensor:
    """The twin of :func:`integers_numba`, equal bit for bit."""
    own = (words_torch(k0, k1, replicas, workers, count) * high) >> 32
    return own + apart * workers[:, None] if apart else own


def _doubles(words: Tensor) -> Tensor:
    pairs = torch.unflatten(words, -1, (-1, 2))
    high = (pairs[..., 0] >> 5).to(torch.float64)
    low = (pairs[..., 1] >> 6).to(torch.float64)
    return (high * 67108864.0 + low) * _TWO53


def uniform_torch(
    k0: int, k1: int, replicas: Tensor, workers: Tensor, count: int, dtype: torch.dtype,
    first: int = 0,
) -> Tensor:  # fmt: skip
    """The twin of :func:`uniform_numba`, equal bit for bit."""
    if dtype == torch.float64:
        return _doubles(words_torch(k0, k1, replicas, workers, 2 * count, 2 * first))
    return (words_torch(k0, k1, replicas, workers, count, first) >> 8).to(dtype) * _TWO24


def normal_torch(
    k0: int, k1: int, replicas: Tensor, workers: Tensor, count: int, dtype: torch.dtype
) -> Tensor:
    """The twin of :func:`normal_numba`, equal to rounding."""
    pairs = (count + 1) // 2
    uv = _doubles(words_torch(k0, k1, replicas, workers, 4 * pairs))
    uv = uv.reshape(workers.numel(), pairs, 2)
    radius = (-2.0 * torch.log(1.0 - uv[..., 0])).sqrt()
    quarter = (4.0 * uv[..., 1]).round()
    angle, turned = (4.0 * uv[..., 1] - quarter) * (math.pi / 2), quarter * (math.pi / 2)
    x, y = turned.cos().round(), turned.sin().round()  # -1, 0 or 1
    cosine, sine = x * angle.cos() - y * angle.sin(), y * angle.cos() + x * angle.sin()
    both = torch.stack((radius * cosine, radius * sine), dim=-1)
    return both.reshape(workers.numel(), 2 * pairs)[:, :count].to(dtype)

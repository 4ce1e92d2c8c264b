"""Gradients with noise that is no Gaussian, as parts of compiled steps, and what these share with
the problems' own: outcomes by lot, random directions, norms without a variance.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.key_words import ending_of, fold_numbers, folded, text_between
from algorithms.kernels.philox import integers_row, normals_into, uniform_row
from algorithms.kernels.row_norms import norms, norms_into
from algorithms.kernels.squares import squares_row

_SAMPLE, _AFTER = text_between("sample")
_NORM = np.array(ending_of("norm"), np.uint8)


@njit(cache=True, nogil=True)
def skewed(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """x - c_i plus the mean of outcomes by lot: centres ``[n, d]``, outcomes ``[3, d]``; how many
    are averaged."""
    d, batch = x.shape[1], numbers[3][0]
    centres = numbers[0].reshape(numbers[0].size // d, d)
    outcomes = numbers[1].reshape(numbers[1].size // d, d)
    lots, count, zero = np.empty(batch, np.int64), x.dtype.type(batch), x.dtype.type(0)
    for i in range(g.shape[0]):
        w, own = first + i, i if x.shape[0] > 1 else 0
        integers_row(k0, k1, replica, w, outcomes.shape[0], lots)
        for j in range(d):
            total = zero
            for s in lots:
                total += outcomes[s, j]
            g[i, j] = (x[own, j] - centres[w, j]) + total / count


@njit(cache=True, nogil=True)
def along_directions(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """The mean of z z^T (x - c_i) over normal directions z: centres ``[n, d]``; how many."""
    d, batch = x.shape[1], numbers[3][0]
    centres = numbers[0].reshape(numbers[0].size // d, d)
    z, off = np.empty((1, batch * d), x.dtype), np.empty(d, x.dtype)
    nothing, count = np.zeros(batch, x.dtype), x.dtype.type(batch)
    for i in range(g.shape[0]):
        w, own = first + i, i if x.shape[0] > 1 else 0
        normals_into(k0, k1, np.full(1, replica), np.full(1, w), z)
        for j in range(d):
            off[j] = x[own, j] - centres[w, j]
        squares_row(z.reshape(batch, d), nothing, batch, off, g[i])
        for j in range(d):
            g[i, j] = g[i, j] / count


@njit(cache=True, nogil=True)
def _scaled_row(z, u, scale, power, norm):  # type: ignore[no-untyped-def]
    """Give the one row z the norm scale (1 - u)^power; ``norm`` is room for one number."""
    norms_into(z, norm)
    factor = z.dtype.type(scale * (1.0 - np.float64(u)) ** power / norm[0])
    for j in range(z.shape[1]):
        z[0, j] = z[0, j] * factor


@njit(cache=True, nogil=True)
def _scaled_rows(z, u, scale, power):  # type: ignore[no-untyped-def]
    norm = np.empty(1)
    for p in range(z.shape[0]):
        _scaled_row(z[p : p + 1], u[p], scale, power, norm)


@njit(cache=True, nogil=True)
def heavy_tailed(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """a x plus noise of uniform direction and Pareto norm: a ``[d]``; the samples that are
    averaged; the least norm and the power of a uniform."""
    d, batch, a = x.shape[1], numbers[3][0], numbers[0]
    scale, power, count = numbers[4][0], numbers[4][1], x.dtype.type(batch)
    words, norm = np.empty((batch, 2), np.int64), np.empty(1)
    z, u = np.empty((1, d), x.dtype), np.empty(1, x.dtype)
    fold_numbers(k0, k1, _SAMPLE, _AFTER, 0, words)
    for i in range(g.shape[0]):
        own = i if x.shape[0] > 1 else 0
        for j in range(d):
            g[i, j] = a[j] * x[own, j]
    for s in range(batch):
        n0, n1 = folded(words[s, 0], words[s, 1], _NORM)
        for i in range(g.shape[0]):
            w = first + i
            normals_into(words[s, 0], words[s, 1], np.full(1, replica), np.full(1, w), z)
            uniform_row(n0, n1, replica, w, u)
            _scaled_row(z, u[0], scale, power, norm)
            for j in range(d):
                g[i, j] = g[i, j] + z[0, j] / count


def of_pareto_norm(z: Tensor, u: Tensor, scale: float, power: float) -> Tensor:
    """Rows in the directions of z ``[..., d]`` with norms scale (1 - u)^power, u ``[..., 1]``."""
    if by_torch(z):
        factor = scale * (1 - u.double()) ** power / norms(z)
        return z * factor.to(z.dtype)
    rows = z.reshape(-1, z.shape[-1]).clone()
    _scaled_rows(rows.numpy(), u.reshape(-1).contiguous().numpy(), scale, power)
    return rows.view(z.shape)

"""Stochastic gradients of quadratics and their kin as parts of compiled steps."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.kernels.absolutes import absolutes_row
from algorithms.kernels.compiled import fused_product, njit
from algorithms.kernels.philox import integers_row, normals_into
from algorithms.kernels.squares import squares_row

GAUSSIAN, RADEMACHER = 0, 1


def adds_fused() -> bool:
    """Whether torch rounds once in ``g.add(noise, alpha=a)`` on this processor's CPU."""
    tiny = torch.full((64,), 1.0 + 2.0**-30, dtype=torch.float64)
    once = torch.full_like(tiny, -1.0).add_(tiny, alpha=1.0 - 2.0**-30)
    return bool((once != 0).all())


@njit(cache=True, nogil=True)
def _add_noise(g, factor, law, fused, k0, k1, replica, first):  # type: ignore[no-untyped-def]
    """g plus ``factor`` times noise of a law with variance 1 in every coordinate."""
    k, d = g.shape
    noise = np.empty_like(g)
    if law == GAUSSIAN:
        replicas, workers = np.full(k, replica), np.arange(first, first + k)
        normals_into(k0, k1, replicas, workers, noise)
    else:
        signs = np.empty(d, np.int64)
        for i in range(k):
            integers_row(k0, k1, replica, first + i, 2, signs)
            for j in range(d):
                noise[i, j] = 2 * signs[j] - 1
    for i in range(k):
        for j in range(d):
            if fused:
                g[i, j] = fused_product(noise[i, j], factor, g[i, j])
            else:
                g[i, j] = g[i, j] + factor * noise[i, j]


@njit(cache=True, nogil=True)
def quadratic(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """a_i x - c_i, and noise: a ``[1 or n, d]``, c ``[n, d]``, the noise's deviation; the number
    of rows of a, the law, whether products are fused."""
    d, rows = x.shape[1], numbers[3][0]
    a, c = numbers[0].reshape(rows, d), numbers[1].reshape(numbers[1].size // d, d)
    for i in range(g.shape[0]):
        w, own = first + i, i if x.shape[0] > 1 else 0
        second_derivative = w if rows > 1 else 0
        for j in range(d):
            g[i, j] = a[second_derivative, j] * x[own, j] - c[w, j]
    if numbers[2][0] > 0:
        _add_noise(g, numbers[2][0], numbers[3][1], numbers[3][2], k0, k1, replica, first)


@njit(cache=True, nogil=True)
def wells(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """Double wells: offsets b ``[n, d]``; -RADIUS, RADIUS, a, 2 a and the noise's deviation;
    whether products are fused."""
    d, kind, given = x.shape[1], x.dtype.type, numbers[1]
    b = numbers[0].reshape(numbers[0].size // d, d)
    low, high, tilt, twice = given[0], given[1], given[2], given[3]
    for i in range(g.shape[0]):
        w, own = first + i, i if x.shape[0] > 1 else 0
        for j in range(d):
            v = x[own, j]
            t = min(max(v, low), high)
            square = t * t
            inside = (square - kind(1)) * (t - tilt)
            second_derivative = kind(3) * square - twice * t - kind(1)
            g[i, j] = inside + second_derivative * (v - t) + b[w, j]
    if given[4] > 0:
        _add_noise(g, given[4], GAUSSIAN, numbers[3][0], k0, k1, replica, first)


@njit(cache=True, nogil=True)
def least_squares(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """A^T (A x - y): features ``[n, S, d]``, targets ``[n, S]``; S, then each worker's count."""
    d, most = x.shape[1], numbers[3][0]
    features = numbers[0].reshape(numbers[0].size // (most * d), most, d)
    targets = numbers[1].reshape(features.shape[0], most)
    for i in range(g.shape[0]):
        w, own = first + i, i if x.shape[0] > 1 else 0
        squares_row(features[w], targets[w], numbers[3][1 + w], x[own], g[i])


@njit(cache=True, nogil=True)
def absolute(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """Subgradients of mean absolute errors plus lam x: features ``[n, S, d]``, targets ``[n, S]``,
    lam; S and the batch (0: all samples)."""
    d, samples, batch = x.shape[1], numbers[3][0], numbers[3][1]
    features = numbers[0].reshape(numbers[0].size // (samples * d), samples, d)
    targets, lam = numbers[1].reshape(features.shape[0], samples), numbers[2][0]
    index = np.arange(samples) if batch == 0 else np.empty(batch, np.int64)
    for i in range(g.shape[0]):
        w, own = first + i, i if x.shape[0] > 1 else 0
        if batch > 0:
            integers_row(k0, k1, replica, w, samples, index)
        absolutes_row(features[w], targets[w], x[own], index, g[i])
        for j in range(d):
            g[i, j] = g[i, j] + lam * x[own, j]


@njit(cache=True, nogil=True)
def sparse_linear(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """Least squares on sparse samples that all share: entries ``[S, k]``, targets ``[S]``; k, the
    batch, then the places ``[S, k]``."""
    width, batch = numbers[3][0], numbers[3][1]
    samples, one = numbers[1].shape[0], x.dtype.type(batch)
    places = numbers[3][2:].reshape(samples, width)
    entries, index = numbers[0].reshape(samples, width), np.empty(batch, np.int64)
    for i in range(g.shape[0]):
        own = i if x.shape[0] > 1 else 0
        integers_row(k0, k1, replica, first + i, samples, index)
        g[i] = 0
        for s in index:
            total = x[own, places[s, 0]] * entries[s, 0]
            for j in range(1, width):
                total += x[own, places[s, j]] * entries[s, j]
            residual = total - numbers[1][s]
            for j in range(width):
                g[i, places[s, j]] += residual * entries[s, j] / one


@njit(cache=True, nogil=True)
def chain(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """Nesterov's chain between two workers: pairs ``[n, d - 1]``, slopes ``[n, d]``; alpha and the
    coupling."""
    d, alpha, coupling = x.shape[1], numbers[2][0], numbers[2][1]
    slope = numbers[1].reshape(numbers[1].size // d, d)
    pairs, zero = numbers[0].reshape(slope.shape[0], d - 1), x.dtype.type(0)
    for i in range(g.shape[0]):
        w, own = first + i, i if x.shape[0] > 1 else 0
        before = zero
        for j in range(d):
            after = (x[own, j] - x[own, j + 1]) * pairs[w, j] if j + 1 < d else zero
            g[i, j] = alpha * x[own, j] + coupling * (after - before) - slope[w, j]
            before = after

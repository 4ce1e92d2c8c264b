"""Minibatch gradients of linear models as parts of compiled steps: no call and no copy a step."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.linear import pair_gradient
from algorithms.kernels.philox import integers_row

L2, BOUNDED = 0, 1
"""Regularisers: lam x, and 2 lam x / (1 + x^2)^2."""


@njit(cache=True, nogil=True)
def regulariser_row(kind, lam, x, g):  # type: ignore[no-untyped-def]
    """A regulariser's gradient at x ``[d]``, into g."""
    if kind == L2:
        for j in range(x.shape[0]):
            g[j] = lam * x[j]
        return
    one = x.dtype.type(1)
    twice = x.dtype.type(2) * lam
    for j in range(x.shape[0]):
        wide = one + x[j] * x[j]
        g[j] = twice * x[j] / (wide * wide)


@njit(cache=True, nogil=True)
def logistic(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """Gradients of logistic regression: signed samples ``[n, S, d]`` and lam; S, the batch (0: all
    samples) and the regulariser."""
    samples, batch, kind = numbers[3][0], numbers[3][1], numbers[3][2]
    d, lam = x.shape[1], numbers[1][0]
    shards = numbers[0].reshape(numbers[0].size // (samples * d), samples, d)
    index = np.arange(samples) if batch == 0 else np.empty(batch, np.int64)
    for i in range(g.shape[0]):
        own = x[i] if x.shape[0] > 1 else x[0]
        if batch > 0:
            integers_row(k0, k1, replica, first + i, samples, index)
        regulariser_row(kind, lam, own, g[i])
        pair_gradient(shards[first + i], own, index, g[i])

"""Corrections by a parameter server for the age of gradients, as parts of compiled steps."""

from __future__ import annotations

import math

from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True)
def diagonal(numbers, state, g, now, read):  # type: ignore[no-untyped-def]
    """g + lam g g (now - read); lam."""
    lam = numbers[0][0]
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            square = g[i, j] * g[i, j]
            g[i, j] = g[i, j] + lam * square * (now[0, j] - read[i, j])


@njit(cache=True, nogil=True)
def adaptive_diagonal(numbers, state, g, now, read):  # type: ignore[no-untyped-def]
    """Apply :func:`diagonal` with lam over the root of a running mean of squares and eps; lam, eps,
    the decay of the mean and the share of what is new."""
    lam, eps, decay, fresh = numbers[0][0], numbers[0][1], numbers[0][2], numbers[0][3]
    came = 0
    for i in range(g.shape[0]):
        some = False
        for j in range(g.shape[1]):
            some |= g[i, j] != 0
        came += some
    one = now.dtype.type(1)
    for j in range(g.shape[1]):
        if came > 0:
            mean = now.dtype.type(0)
            for i in range(g.shape[0]):
                mean += g[i, j] * g[i, j]
            mean = now.dtype.type(mean / came)
            state[0, j] = decay * state[0, j] + fresh * mean
        own = one / now.dtype.type(math.sqrt(state[0, j] + eps)) * lam
        for i in range(g.shape[0]):
            square = g[i, j] * g[i, j]
            g[i, j] = g[i, j] + own * square * (now[0, j] - read[i, j])

"""Random meetings of many steps and replicas at once, as their laws draw them one by one."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.philox import integers_row, uniform_row


@njit(cache=True, nogil=True)
def partner_of(ids, degrees, caller, coin):  # type: ignore[no-untyped-def]
    """The neighbour that a caller's coin in [0, 1) chooses; ids ``[n, s]``, degrees ``[n]``."""
    degree = degrees[caller]
    return ids[caller, min(np.int64(coin * degree), degree - 1)]


@njit(cache=True, nogil=True)
def edge_meetings(words, called, replicas, ids, degrees, sources, weights):  # type: ignore[no-untyped-def]
    """A uniform caller and a uniform neighbour take their mean: sources and weights
    ``[T, R, n, 2]``; key words of callers and of called ``[T, 2]``."""
    steps, lead, n = sources.shape[:3]
    subset, coin = np.empty(1, np.int64), np.empty(1)
    for t in range(steps):
        for r in range(lead):
            integers_row(words[t, 0], words[t, 1], replicas[r], 0, n, subset)
            one = subset[0]
            uniform_row(called[t, 0], called[t, 1], replicas[r], one, coin)
            other = partner_of(ids, degrees, one, coin[0])
            for i in range(n):
                sources[t, r, i] = i
                weights[t, r, i, 0], weights[t, r, i, 1] = 1.0, 0.0
            sources[t, r, one, 1], sources[t, r, other, 1] = other, one
            weights[t, r, one], weights[t, r, other] = 0.5, 0.5


@njit(cache=True, nogil=True)
def calls_of_all(words, replicas, ids, degrees, called, most):  # type: ignore[no-untyped-def]
    """Whom each worker calls ``[T, R, n]``, and how many call one worker at most, 1 at least, in
    each step ``[T]``."""
    steps, lead, n = called.shape
    coin, count = np.empty(1), np.empty(n, np.int64)
    most[:] = 1
    for t in range(steps):
        for r in range(lead):
            count[:] = 0
            for i in range(n):
                uniform_row(words[t, 0], words[t, 1], replicas[r], i, coin)
                called[t, r, i] = partner_of(ids, degrees, i, coin[0])
                count[called[t, r, i]] += 1
            most[t] = max(most[t], count.max())


@njit(cache=True, nogil=True)
def push_meetings(called, sources, weights):  # type: ignore[no-untyped-def]
    """Everyone keeps half and pushes half to whom it calls: sources and weights ``[T, R, n, s]``,
    callers in the order of their ids."""
    steps, lead, n = sources.shape[:3]
    filled = np.empty(n, np.int64)
    for t in range(steps):
        for r in range(lead):
            filled[:] = 1
            for i in range(n):
                sources[t, r, i] = i
                weights[t, r, i] = 0.0
                weights[t, r, i, 0] = 0.5
            for j in range(n):
                i = called[t, r, j]
                sources[t, r, i, filled[i]], weights[t, r, i, filled[i]] = j, 0.5
                filled[i] += 1

"""Local steps whose meetings keep what workers did meanwhile, or leave some of it at home."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.diana_steps import difference
from algorithms.kernels.local_steps import workers_alone
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.server_steps import add_rows

_PLAIN = np.zeros(1, np.bool_)  # flags of steps without an optimizer


@njit(cache=True, nogil=True)
def _stop(meets, start):  # type: ignore[no-untyped-def]
    """One past the step that ends the period of step ``start``."""
    stop = start + 1
    while stop < meets.shape[0] and not meets[stop - 1]:
        stop += 1
    return stop


@njit(cache=True, nogil=True, error_model="numpy")
def _kept_apart(x, sent):  # type: ignore[no-untyped-def]
    """Models ``[n, d]`` become the mean of those sent, and what changed since."""
    n, d = x.shape
    total = np.zeros(d, x.dtype)
    add_rows(sent, total, 0, d)
    for i in range(n):
        for j in range(d):
            x[i, j] = x.dtype.type(total[j] / n) + (x[i, j] - sent[i, j])
            sent[i, j] = x[i, j]


@njit(cache=True, nogil=True)
def _cocod_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, move, onum, x, sent, meets, gammas, first, gwords, cwords, replicas, together,
    bits, downs,
):  # fmt: skip
    start, steps = 0, gammas.shape[0]
    none = np.empty((x.shape[0], x.shape[1], 0, x.shape[2]), x.dtype)
    while start < steps:
        stop = _stop(meets, start)
        if not workers_alone(
            gradient, gnum, move, onum, _PLAIN, x, none, gammas, gwords, replicas, together, start,
            stop, 0, x.shape[1],
        ):  # fmt: skip
            return start
        if meets[stop - 1]:
            for r in range(x.shape[0]):
                _kept_apart(x[r], sent[r])
        start = stop
    return steps


@njit(cache=True, nogil=True)
def _sign(v):  # type: ignore[no-untyped-def]
    return np.int64(v > 0) - np.int64(v < 0)


@njit(cache=True, nogil=True, error_model="numpy")
def _relevant(u, update, threshold, dense, bits, total):  # type: ignore[no-untyped-def]
    """Updates ``[n, d]`` that run along the common one ``[1, d]`` are added up; their share."""
    count, d = np.int64(0), u.shape[1]
    for i in range(u.shape[0]):
        alike = np.int64(0)
        for j in range(d):
            alike += np.int64(_sign(u[i, j]) == _sign(update[0, j]))
        sends = alike / d >= threshold
        bits[i] = dense if sends else -1
        count += np.int64(sends)
        if sends:
            add_rows(u[i : i + 1], total, 0, d)
    return u.dtype.type(count / u.shape[0])


@njit(cache=True, nogil=True, error_model="numpy")
def _filtered(x, common, update, threshold, dense, bits):  # type: ignore[no-untyped-def]
    """Models ``[n, d]`` after a meeting; the common one and its update are ``[1, d]``. False: a
    model is not finite."""
    n, d = x.shape
    u, total = np.empty_like(x), np.zeros(d, x.dtype)
    for i in range(n):
        difference(x[i : i + 1], common, u[i : i + 1])
    if not all_finite(u):
        return False
    share = _relevant(u, update, threshold, dense, bits, total)
    for j in range(d):
        moved = x.dtype.type(0)
        if share > 0:
            moved = x.dtype.type(total[j] / n) / share
            update[0, j] = moved
        common[0, j] = common[0, j] + moved
    for i in range(n):
        x[i] = common[0]
    return True


@njit(cache=True, nogil=True)
def _filter_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, move, onum, dense, x, common, update, meets, thresholds, gammas, first, gwords,
    cwords, replicas, together, bits, downs,
):  # fmt: skip
    start, steps = 0, gammas.shape[0]
    none = np.empty((x.shape[0], x.shape[1], 0, x.shape[2]), x.dtype)
    while start < steps:
        stop = _stop(meets, start)
        if not workers_alone(
            gradient, gnum, move, onum, _PLAIN, x, none, gammas, gwords, replicas, together, start,
            stop, 0, x.shape[1],
        ):  # fmt: skip
            return start
        at = stop - 1
        for r in range(x.shape[0] if meets[at] else 0):
            if not _filtered(x[r], common[r], update[r], thresholds[at], dense, bits[at, r]):
                return start
        start = stop
    return steps


_TAIL = ("rows1", "word", "whole2", "whole2", "whole", "word", "whole3", "whole3")

COCOD_LOOP = Loop(
    _cocod_loop, "word", "gradient", "numbers", "move", "numbers", "rows3", "rows3", "flags", *_TAIL
)
"""Steps of CoCoD-SGD, in whole periods: how many before a gradient was not finite."""

FILTER_LOOP = Loop(
    _filter_loop, "word", "gradient", "numbers", "move", "numbers", "word", "rows3", "rows3",
    "rows3", "flags", "doubles", *_TAIL,
)  # fmt: skip
"""Steps of CMFL, in whole periods: how many before something was not finite."""

"""Many steps of a plain method on l2 logistic regression in one call: draws, gradients, moves.

Every number comes from the same operations in the same order as in the composed path (Philox,
``linear``, ``mean``, ``mixing``, ``scaled_sum``), so models agree bit for bit. What is saved are
the calls between them, and gradients that are only summed are never held together. Workers come in
the order of their ids and all replicas of one worker in turn, while its data are in cache.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.linear import pair_gradient
from algorithms.kernels.mixing import mix_row
from algorithms.kernels.philox import block


class Steps(NamedTuple):
    """What steps t, t + 1, ... of a run draw and take.

    Attributes:
        keys: key words of each step's draws ``[T, 2]`` (int64).
        gammas: stepsizes ``[T]`` [x^2 / f], in double precision.
        batch: samples of a gradient.
        lam: weight of the regulariser [f / x^2].
    """

    keys: NDArray[np.int64]
    gammas: NDArray[np.float64]
    batch: int
    lam: float


@njit(cache=True, nogil=True)
def _draw(k0, k1, replica, worker, high, index):  # type: ignore[no-untyped-def]
    count = index.shape[0]
    top, shift = np.uint64(high), np.uint64(32)
    for b in range((count + 3) // 4):
        w0, w1, w2, w3 = block(b, worker, replica, 0, k0, k1)
        j = 4 * b
        index[j] = (w0 * top) >> shift
        if j + 1 < count:
            index[j + 1] = (w1 * top) >> shift
        if j + 2 < count:
            index[j + 2] = (w2 * top) >> shift
        if j + 3 < count:
            index[j + 3] = (w3 * top) >> shift


@njit(cache=True, nogil=True)
def gradient(shard, x, lam, k0, k1, replica, worker, index, g):  # type: ignore[no-untyped-def]
    """The gradient that one worker of one replica draws at x, into g."""
    _draw(k0, k1, replica, worker, shard.shape[0], index)
    for j in range(x.shape[0]):
        g[j] = lam * x[j]
    pair_gradient(shard, x, index, g)


@njit(cache=True, nogil=True)
def _finite(rows):  # type: ignore[no-untyped-def]
    for row in rows:
        for j in range(row.shape[0]):
            if not np.isfinite(row[j]):
                return False
    return True


@njit(cache=True, nogil=True)
def _averaged(rows, x, lam, gammas, keys, replicas, batch):  # type: ignore[no-untyped-def]
    n, _, d = rows.shape
    index, g, total = np.empty(batch, np.int64), np.empty_like(x[0]), np.empty_like(x)
    for t in range(gammas.shape[0]):
        gamma = gammas[t]
        total[:] = 0
        for w in range(n):
            for r in range(x.shape[0]):
                gradient(rows[w], x[r], lam, keys[t, 0], keys[t, 1], replicas[r], w, index, g)
                for j in range(d):
                    total[r, j] += g[j]
        if not _finite(total):
            return t
        for r in range(x.shape[0]):
            for j in range(d):
                total[r, j] /= n
                x[r, j] = x[r, j] - gamma * total[r, j]
    return gammas.shape[0]


@njit(cache=True, nogil=True)
def _meet(x, total):  # type: ignore[no-untyped-def]
    replicas, n, d = x.shape
    for r in range(replicas):
        for j in range(d):
            total[r, j] = 0
        for w in range(n):
            for j in range(d):
                total[r, j] += x[r, w, j]
        for j in range(d):
            total[r, j] /= n
        for w in range(n):
            x[r, w] = total[r]


@njit(cache=True, nogil=True)
def _alone(rows, x, lam, gammas, keys, replicas, batch, meets, mean):  # type: ignore[no-untyped-def]
    n, _, d = rows.shape
    index, g = np.empty(batch, np.int64), np.empty_like(x[0, 0])
    start, steps = 0, gammas.shape[0]
    while start < steps:
        stop = start + 1
        while stop < steps and not meets[stop - 1]:
            stop += 1
        for w in range(n):
            for r in range(x.shape[0]):
                own = x[r, w]
                for t in range(start, stop):
                    gradient(rows[w], own, lam, keys[t, 0], keys[t, 1], replicas[r], w, index, g)
                    for j in range(d):
                        own[j] = own[j] + -gammas[t] * g[j]
            if not _finite(x[:, w]):
                return False
        if meets[stop - 1]:
            _meet(x, mean)
        start = stop
    return True


@njit(cache=True, nogil=True)
def _mixed(rows, x, lam, gammas, keys, replicas, batch, neighbours, weight):  # type: ignore[no-untyped-def]
    n, _, d = rows.shape
    index, g, ahead = np.empty(batch, np.int64), np.empty_like(x[0, 0]), np.empty_like(x)
    for t in range(gammas.shape[0]):
        good = True
        for w in range(n):
            for r in range(x.shape[0]):
                mix_row(x[r], neighbours[w], weight[w], ahead[r, w], 0, d)
                gradient(rows[w], x[r, w], lam, keys[t, 0], keys[t, 1], replicas[r], w, index, g)
                for j in range(d):
                    good &= np.isfinite(g[j])
                    ahead[r, w, j] = ahead[r, w, j] + -gammas[t] * g[j]
        if not good:
            return t, x
        x, ahead = ahead, x
    return gammas.shape[0], x


def arguments(rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor) -> tuple[Any, ...]:
    """What every kernel takes first: arrays, and numbers in the type of the rows."""
    shards = rows.numpy()
    kind = shards.dtype.type
    gammas = steps.gammas.astype(shards.dtype)
    ids = replicas.contiguous().numpy()
    return shards, x.numpy(), kind(steps.lam), gammas, steps.keys, ids, steps.batch


def averaged_descent(rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor) -> tuple[Tensor, int]:
    """Models ``[R, d]`` after as many steps of x - gamma (mean of all workers' gradients) as are
    finite, and their number.

    rows ``[n, S, d]`` signed samples on a CPU, x ``[R, d]`` (left as it is), replicas ``[R]`` ids.
    """
    x = x.clone()
    return x, int(_averaged(*arguments(rows, x, steps, replicas)))


def descent_alone(
    rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor, meets: NDArray[np.bool_]
) -> tuple[Tensor, Tensor] | None:
    """Models ``[R, n, d]`` after the steps, each worker by itself, all of its steps in turn; after
    those where it ``meets`` all go on from the mean, of which the last is given, ``[R, d]``.

    None: something stopped being finite.
    """
    x, mean = x.clone(), torch.zeros_like(x[:, 0])
    given: tuple[Any, ...] = (*arguments(rows, x, steps, replicas), meets, mean.numpy())
    return (x, mean) if _alone(*given) else None


def mixed_descent(
    rows: Tensor, x: Tensor, steps: Steps, replicas: Tensor, index: Tensor, weight: Tensor
) -> tuple[Tensor, int]:
    """Models ``[R, n, d]`` after as many steps of mixing x, less gamma g(x), as are finite, and
    their number; index and weight ``[n, s]`` as in ``mixing.mix``."""
    x = x.clone()
    lists: Any = index.contiguous().numpy(), weight.to(x.dtype).contiguous().numpy()
    done, ahead = _mixed(*arguments(rows, x, steps, replicas), *lists)
    return torch.from_numpy(ahead), int(done)

"""Minibatch gradients of logistic models, without copying the minibatch.

With signed rows p_s = y_s a_s the loss of a sample is log(1 + exp(-p_s.x)), so a pair (x, worker)
with sample numbers s_1 .. s_b needs

    g = shift + (1/b) sum_j -p_{s_j} / (1 + exp(p_{s_j}.x)),

one pass over b rows of that worker's data: dot, derivative, axpy. Gathering the rows first, as the
torch twin does, copies b d numbers per pair; at d = 10,000 that copy is most of the time.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit

# A dot product is a chain of dependent additions, which LLVM may only turn into vector lanes if it
# may reassociate. It does so at compile time: the number of lanes and the order in which they are
# added depend on d alone (loads are unaligned, so not on addresses either), never on how many
# pairs there are or which pair this is. All pairs run through this one compiled loop (arrays are
# made contiguous first: another layout would be another compiled loop); hence a row's bits do not
# depend on m. `nnan` and `ninf` are left out: NaN and infinity must survive.
FAST = {"reassoc", "contract", "nsz", "arcp"}


@njit(cache=True, nogil=True, fastmath=FAST)
def _dot(a, x):  # type: ignore[no-untyped-def]
    total = x.dtype.type(0)
    for j in range(x.shape[0]):
        total += a[j] * x[j]
    return total


# Rows are named by their numbers: a view of each would be counted in and out, with a locked
# addition each time, which takes longer than the arithmetic of fifty coordinates.
@njit(cache=True, nogil=True, fastmath=FAST, forceinline=True)
def dots(h, q0, q1, q2, q3, q4, q5, q6, q7, x):  # type: ignore[no-untyped-def]
    """Products of x with the eight rows q0, ..., q7 of h ``[S, d]``."""
    o = x.dtype.type(0)
    t0, t1, t2, t3, t4, t5, t6, t7 = o, o, o, o, o, o, o, o
    for j in range(x.shape[0]):
        v = x[j]
        t0 += h[q0, j] * v
        t1 += h[q1, j] * v
        t2 += h[q2, j] * v
        t3 += h[q3, j] * v
        t4 += h[q4, j] * v
        t5 += h[q5, j] * v
        t6 += h[q6, j] * v
        t7 += h[q7, j] * v
    return t0, t1, t2, t3, t4, t5, t6, t7


@njit(cache=True, nogil=True, forceinline=True)
def _weight(z, b, like):  # type: ignore[no-untyped-def]
    return like.dtype.type(-1.0 / (b * (1.0 + math.exp(z))))


@njit(cache=True, nogil=True)
def _by_worker(worker_of, n):  # type: ignore[no-untyped-def]
    """Pairs in order of worker (counting sort, stable): a worker's data stays in cache."""
    ends = [0] * (n + 1)
    for w in worker_of:
        ends[w + 1] += 1
    for w in range(n):
        ends[w + 1] += ends[w]
    order = worker_of.copy()
    for p in range(worker_of.shape[0]):
        w = worker_of[p]
        order[ends[w]] = p
        ends[w] += 1
    return order


@njit(cache=True, nogil=True, forceinline=True)
def _eight(h, q, s, x, b, g):  # type: ignore[no-untyped-def]
    """g += the share of the eight samples q[s:]. One pass over x and one over g serve eight rows,
    and eight streams keep the memory busy: 1.6 times one row after the other at d = 1000."""
    q0, q1, q2, q3 = q[s], q[s + 1], q[s + 2], q[s + 3]
    q4, q5, q6, q7 = q[s + 4], q[s + 5], q[s + 6], q[s + 7]
    z0, z1, z2, z3, z4, z5, z6, z7 = dots(h, q0, q1, q2, q3, q4, q5, q6, q7, x)
    c0, c1, c2, c3 = _weight(z0, b, x), _weight(z1, b, x), _weight(z2, b, x), _weight(z3, b, x)
    c4, c5, c6, c7 = _weight(z4, b, x), _weight(z5, b, x), _weight(z6, b, x), _weight(z7, b, x)
    for j in range(x.shape[0]):
        low = (c0 * h[q0, j] + c1 * h[q1, j]) + (c2 * h[q2, j] + c3 * h[q3, j])
        high = (c4 * h[q4, j] + c5 * h[q5, j]) + (c6 * h[q6, j] + c7 * h[q7, j])
        g[j] += low + high


@njit(cache=True, nogil=True)
def _one(a, x, b, g):  # type: ignore[no-untyped-def]
    c = _weight(_dot(a, x), b, x)
    for j in range(x.shape[0]):
        g[j] += c * a[j]


@njit(cache=True, nogil=True)
def pair_gradient(shard, x, index, g):  # type: ignore[no-untyped-def]
    """g += the mean gradient of the samples ``index`` of one worker's ``shard`` at x."""
    b = index.shape[0]
    eights = b - b % 8
    for s in range(0, eights, 8):
        _eight(shard, index, s, x, b, g)
    for s in range(eights, b):
        _one(shard[index[s]], x, b, g)


@njit(cache=True, nogil=True)
def _logistic(rows, points, shift, share, worker_of, index, out):  # type: ignore[no-untyped-def]
    for p in _by_worker(worker_of, rows.shape[0]):
        g = out[p]
        g[:] = shift[p // share]
        pair_gradient(rows[worker_of[p]], points[p // share], index[p], g)


def logistic_numba(
    rows: Tensor, points: Tensor, shift: Tensor, share: int, worker_of: Tensor, index: Tensor
) -> Tensor:
    """Gradients ``[P, d]`` of P pairs, on a CPU, in the dtype of ``rows`` (float32 or float64).

    rows ``[n, S, d]`` signed samples; points and shift ``[P / share, d]``: ``share`` pairs in
    turn have one point; worker_of ``[P]`` names each pair's worker, index ``[P, b]`` its sample
    numbers (int64).
    """
    out = torch.empty((worker_of.shape[0], rows.shape[-1]), dtype=rows.dtype)
    _logistic(
        rows.numpy(), points.numpy(), shift.numpy(), share, worker_of.numpy(), index.numpy(),
        out.numpy(),
    )  # fmt: skip
    return out


def logistic_torch(
    rows: Tensor, points: Tensor, shift: Tensor, share: int, worker_of: Tensor, index: Tensor
) -> Tensor:
    """The twin of :func:`logistic_numba` on any device: gathers the minibatch ``[P, b, d]``."""
    batch = rows[worker_of[:, None], index]
    points, shift = (v.repeat_interleave(share, 0) for v in (points, shift))
    z = (batch * points[:, None, :]).sum(-1)
    weights = torch.sigmoid(-z)
    return shift - (weights[..., None] * batch).mean(-2)


def logistic_gradient(
    rows: Tensor, x: Tensor, shift: Tensor, workers: Tensor, index: Tensor
) -> Tensor:
    """Minibatch gradients ``[..., k, d]`` at x ``[..., k or 1, d]`` plus ``shift`` (shape of x).

    workers ``[..., k]`` are the ids of the rows, index ``[..., k, b]`` their sample numbers; x
    broadcasts to workers, and a point ``[..., 1, d]`` is not copied for that. The kernel runs where
    rows live on a CPU, its torch twin elsewhere.
    """
    d, share = rows.shape[-1], workers.shape[-1]
    if x.shape[:-1] != (*workers.shape[:-1], 1):
        x, shift, share = x.expand(*workers.shape, d), shift.expand(*workers.shape, d), 1
    run = logistic_torch if by_torch(rows) else logistic_numba
    out = run(
        rows,
        x.reshape(-1, d).contiguous(),
        shift.reshape(-1, d).contiguous(),
        share,
        workers.reshape(-1).contiguous(),
        index.reshape(-1, index.shape[-1]).contiguous(),
    )
    return out.view(*workers.shape, d)

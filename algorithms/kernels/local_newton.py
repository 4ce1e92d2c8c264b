r"""Local solves of l2-regularised logistic regression: a Newton method for each row on its own.

For a pair (v, worker) with signed samples p_s, the rows of P ``[S, d]``, the minimiser of

    (1/S) sum_s log(1 + exp(-p_s.x)) + (lam/2) ||x||^2 + (weight/2) ||x - v||^2.

With c = lam + weight it is x = (weight v + P^T b / S) / c for b_s = 1/(1 + exp(p_s.x)). Where S < d
Newton's method looks for b: all it needs of the data are P v and the Gram matrix K = P P^T, which
is kept; else it looks for x. The linear systems are solved ever more exactly. All sums run in one
order, so a row's result does not depend on the rows beside it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.newton_systems import dot, solve_by_parameters, solve_by_samples
from algorithms.kernels.row_parts import Numbers, numbers
from algorithms.kernels.row_products import backward, forward
from theory.arrays import Floats

_STEPS = 100
_HALVINGS = 30
_ROUNDING = 1e-12  # of a sum of losses, by which it may seem to rise


class LocalData(NamedTuple):
    """Data that local solves read, on the host.

    Attributes:
        rows: signed samples ``[n, S, d]``, of their own type.
        grams: Gram matrices of each worker's ``[n, S, S]``; where S >= d none, ``[0, 1, 1]``.
    """

    rows: Floats
    grams: Floats

    @staticmethod
    def from_rows(rows: Tensor) -> LocalData:
        """Of signed samples ``[n, S, d]`` of any type and place."""
        host = rows.cpu().contiguous().numpy()
        n, samples, d = host.shape
        grams = np.empty((n, samples, samples) if samples < d else (0, 1, 1))
        _fill_grams(host, grams)
        return LocalData(host, grams)


@njit(cache=True, nogil=True)
def _fill_grams(rows, grams):  # type: ignore[no-untyped-def]
    for i in range(grams.shape[0]):
        p, gram = rows[i], grams[i]
        for s in range(p.shape[0]):
            forward(p[: s + 1], p[s].astype(np.float64), gram[s, : s + 1])
            for t in range(s):
                gram[t, s] = gram[s, t]


@njit(cache=True, nogil=True)
def _shares(z, share, second_derivative):  # type: ignore[no-untyped-def]
    """b = 1/(1 + e^z) into share, b (1 - b) into bend; the sum of log(1 + e^-z)."""
    total = 0.0
    for s in range(z.shape[0]):
        e = math.exp(-abs(z[s]))
        total += math.log1p(e) - min(z[s], 0.0)
        share[s] = (e if z[s] > 0 else 1.0) / (1.0 + e)
        second_derivative[s] = e / ((1.0 + e) * (1.0 + e))
    return total


@njit(cache=True, nogil=True)
def _step_size(z, y, here, slope, square, trial, share, second_derivative):  # type: ignore[no-untyped-def]
    """The first of 1, 1/2, 1/4 ... at which the loss at z + size y, ``here`` at z, and size slope +
    size^2 square have not risen beyond rounding."""
    size = 1.0
    for _ in range(_HALVINGS):
        for s in range(z.shape[0]):
            trial[s] = z[s] + size * y[s]
        there = _shares(trial, share, second_derivative) + size * (slope + size * square)
        if there <= here + _ROUNDING * (here + abs(slope) + square):
            break
        size *= 0.5
    return size


@njit(cache=True, nogil=True)
def _settled(norm, before):  # type: ignore[no-untyped-def]
    """Whether a gradient's norm, over 1 + weight, is that of rounding: as small as it gets."""
    return norm <= 1e-14 or (norm <= 1e-9 and norm > 0.5 * before)


@njit(cache=True, nogil=True)
def _forcing(norm):  # type: ignore[no-untyped-def]
    """Of what it was, the gradient that a linear system may leave, so that all converges faster
    than linearly."""
    return max(1e-8, min(0.1, norm))


@njit(cache=True, nogil=True)
def _scale(still, kappa, b, kb, trial, share, second_derivative):  # type: ignore[no-untyped-def]
    """The first of 1, 1/2, 1/4 ... by which to scale the start b, half of which is no better."""
    scale, here, square = 1.0, math.inf, 0.5 * kappa * dot(b, kb)
    for _ in range(_HALVINGS):
        for s in range(still.shape[0]):
            trial[s] = still[s] + scale * kappa * kb[s]
        there = _shares(trial, share, second_derivative) + scale * scale * square
        if there >= here:
            return 2.0 * scale
        here, scale = there, 0.5 * scale
    return scale


@njit(cache=True, nogil=True)
def _begun(p, gram, v, share_of_v, kappa, x, rooms):  # type: ignore[no-untyped-def]
    """P v times its share into rooms[6], the start b of the solve from x into rooms[7]."""
    still, b, z, share, second_derivative, trial, kb = rooms[6:13]
    forward(p, x, z)
    _shares(z, b, second_derivative)
    forward(p, v, still)
    for s in range(b.shape[0]):
        still[s] *= share_of_v
    forward(gram, b, kb)
    scale = _scale(still, kappa, b, kb, trial, share, second_derivative)
    for s in range(b.shape[0]):
        b[s] *= scale


@njit(cache=True, nogil=True)
def _model_of(p, b, v, lam, weight, x):  # type: ignore[no-untyped-def]
    """x = (weight v + P^T b / S) / (lam + weight); the larger part is not rounded twice."""
    c = lam + weight
    x[:] = 0.0
    backward(p, b, x)
    for j in range(x.shape[0]):
        own = x[j] / p.shape[0]
        x[j] = (own + weight * v[j]) / c if weight < lam else v[j] + (own - lam * v[j]) / c


@njit(cache=True, nogil=True)
def _by_samples(p, gram, v, lam, weight, x, rooms):  # type: ignore[no-untyped-def]
    """x, the start, becomes the minimiser, found by way of b; ``rooms`` ``[16, S]``."""
    still, b, z, share, second_derivative, trial, kb, r, kr, change = rooms[6:16]
    y, count, before = rooms[0], p.shape[0], math.inf
    kappa = 1.0 / (count * (lam + weight))
    _begun(p, gram, v, weight / (lam + weight), kappa, x, rooms)
    for _ in range(_STEPS):
        forward(gram, b, kb)
        for s in range(count):
            z[s] = still[s] + kappa * kb[s]
        here = _shares(z, share, second_derivative)
        for s in range(count):
            r[s] = b[s] - share[s]
        forward(gram, r, kr)
        norm = math.sqrt(max(dot(r, kr), 0.0)) / (count * (1.0 + weight))
        if _settled(norm, before):
            break
        before = norm
        solve_by_samples(
            gram, second_derivative, kappa, r, kr, _forcing(norm), change, trial, rooms
        )
        slope, square = kappa * dot(kb, change), 0.5 * kappa * dot(change, trial)
        for s in range(count):
            y[s] = kappa * trial[s]
        size = _step_size(z, y, here, slope, square, trial, share, second_derivative)
        for s in range(count):
            b[s] += size * change[s]
        if norm <= 1e-11:
            break  # the step just taken has squared it
    _model_of(p, b, v, lam, weight, x)


@njit(cache=True, nogil=True)
def _by_parameters(p, v, lam, weight, x, samples, rooms):  # type: ignore[no-untyped-def]
    """x, the start, becomes the minimiser; ``samples`` ``[5, S]``, ``rooms`` ``[5, d]``."""
    z, share, second_derivative, y, trial = samples
    g, step = rooms[3], rooms[4]
    count, d, c, before = p.shape[0], x.shape[0], lam + weight, math.inf
    for _ in range(_STEPS):
        forward(p, x, z)
        here = _shares(z, share, second_derivative)
        for s in range(count):
            second_derivative[s] /= count
            share[s] /= count
        for j in range(d):
            g[j] = -lam * x[j] - weight * (x[j] - v[j])
        backward(p, share, g)
        norm = math.sqrt(dot(g, g)) / (1.0 + weight)
        if _settled(norm, before):
            break
        before = norm
        solve_by_parameters(p, second_derivative, c, g, _forcing(norm), step, rooms)
        forward(p, step, y)
        slope = count * (c * dot(x, step) - weight * dot(v, step))
        square = 0.5 * count * c * dot(step, step)
        size = _step_size(z, y, here, slope, square, trial, share, second_derivative)
        for j in range(d):
            x[j] += size * step[j]
        if norm <= 1e-11:
            break  # the step just taken has squared it


@njit(cache=True, nogil=True)
def _newton(rows, grams, v, workers, weights, lam, x):  # type: ignore[no-untyped-def]
    count, short = rows.shape[1], grams.shape[0] > 0
    samples = np.empty((16 if short else 5, count))
    rooms = np.empty((0 if short else 5, x.shape[1]))
    for q in range(x.shape[0]):
        p = rows[workers[q]]
        if short:
            _by_samples(p, grams[workers[q]], v[q], lam, weights[q], x[q], samples)
        else:
            _by_parameters(p, v[q], lam, weights[q], x[q], samples, rooms)


@njit(cache=True, nogil=True)
def proximal_row(numbers, v, weight, start, worker, out):  # type: ignore[no-untyped-def]
    """The minimiser of one worker's loss and squares, into out ``[1, d]``; the samples; how many
    workers and samples there are; lam and the Gram matrices, if any."""
    d, n, count = v.shape[1], numbers[3][0], numbers[3][1]
    rows, grams = numbers[0].reshape(n, count, d), numbers[4][1:]
    x, point = start[0].astype(np.float64), v[0].astype(np.float64)
    lam, pull, p = numbers[4][0], np.float64(weight[0]), rows[worker]
    if grams.shape[0] > 0:
        gram = grams.reshape(n, count, count)[worker]
        _by_samples(p, gram, point, lam, pull, x, np.empty((16, count)))
    else:
        _by_parameters(p, point, lam, pull, x, np.empty((5, count)), np.empty((5, d)))
    out[0] = x.astype(out.dtype)


def proximal_numbers(data: LocalData, lam: float, dtype: torch.dtype) -> Numbers:
    """What :func:`proximal_row` takes first."""
    n, samples, d = data.rows.shape
    grams = data.grams.reshape(-1) if samples < d else np.empty(0)
    rows = torch.from_numpy(data.rows).to(dtype)
    return numbers(dtype, rows, ints=(n, samples), reals=np.concatenate(([lam], grams)))


def logistic_proximal(
    data: LocalData, v: Tensor, workers: Tensor, weights: Tensor, lam: float, start: Tensor
) -> Tensor:
    """Minimisers ``[Q, d]`` for points v, ``workers``, ``weights`` ``[Q]``, from ``start``.

    Computed in double precision on the CPU whatever the type and device of v.
    """
    x = start.double().cpu().clone().contiguous()
    points = v.double().cpu().contiguous().numpy()
    ids, pulls = workers.cpu().numpy(), weights.double().cpu().numpy()
    _newton(data.rows, data.grams, points, ids, pulls, lam, x.numpy())
    return x.to(v)

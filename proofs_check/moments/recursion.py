r"""Mean and covariance of a block, step by step.

m' = A m + b;  S' = A S A^T + N N^T + \sum_j p_j (A_j S A_j^T + v_j v_j^T + N_j N_j^T), v_j = A_j m
+ b_j: outcomes j of independent choices, whose maps deviate by A_j, b_j, N_j from their mean.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.kernels.compiled import njit
from proofs_check.moments.blocks import MomentBlock
from proofs_check.moments.course import MapSequence
from theory.arrays import Floats


class BlockMoments(NamedTuple):
    """Mean ``[m]`` and covariance ``[m, m]`` of a block's numbers, and the running sum so far.

    Attributes:
        mean: the mean.
        cov: the covariance.
        total: the sum over the steps before of what is summed.
    """

    mean: Floats
    cov: Floats
    total: float

    def variances(self, rows: Floats) -> Floats:
        """Variances of rows ``[r, m]`` of the state."""
        found: Floats = np.einsum("ri,ij,rj->r", rows, self.cov, rows)
        return found


def start(block: MomentBlock) -> BlockMoments:
    """At the start everything is known."""
    return BlockMoments(block.start, np.zeros((block.size, block.size)), 0.0)


class StepClock(NamedTuple):
    """Map that every step takes, and powers of its stepsize's share.

    Attributes:
        places: of each step its map's place ``[T]``.
        powers: of each step 1, r, r^2, ... ``[T, Q]``; one line where all steps are alike.
    """

    places: NDArray[np.int64]
    powers: Floats


def clock(course: MapSequence, first: int, last: int) -> StepClock:
    """The clock of steps ``first`` to ``last`` - 1."""
    steps = np.arange(first, last)
    late = steps - course.begin
    turned = course.begin + late % max(course.period, 1)
    places = np.where((late < 0) | (course.period == 0), steps, turned)
    if course.rule is None:
        return StepClock(places, np.ones((len(steps), 1)))
    scale = course.rule(0)
    shares = np.array([course.rule(t) / scale for t in range(first, last)])
    return StepClock(places, shares[:, None] ** np.arange(max(map(len, course.maps))))


def stepped(
    block: MomentBlock, moments: BlockMoments, clock: StepClock, summed: Floats
) -> BlockMoments:
    """Moments after the clock's steps, with the mean of ``summed`` ``[P, m + 1, m + 1]``, a
    quadratic form in (state, 1), before each of them added to the running sum."""
    mean, cov, total = np.array(moments.mean), np.array(moments.cov), np.zeros(1)
    if len(clock.places):
        _advance(
            *clock, _flat(block.a, 2), block.b, _flat(block.noise, 2), block.weights,
            _flat(block.off_a, 3), block.off_b, _flat(block.off_noise, 3), summed, mean, cov, total,
        )  # fmt: skip
    return BlockMoments(mean, cov, moments.total + float(total[0]))


def _flat(part: Floats, kept: int) -> Floats:
    """With all axes after the first ``kept`` in one line."""
    return part.reshape(*part.shape[:kept], math.prod(part.shape[kept:]))


def _scaled_sums(scales: Floats, parts: Floats, out: Floats) -> None:
    """out = sum_q scales[q] parts[q], all of them flat."""
    for i in range(len(out)):
        out[i] = 0.0
        for q in range(len(scales)):
            out[i] += scales[q] * parts[q, i]


def _spread(weight: float, step: Floats, cov: Floats, noise: Floats, new: Floats) -> None:
    """new += weight (A cov A^T + N N^T), A and N as flat rows."""
    m = len(cov)
    width = len(noise) // m
    moved = np.zeros((m, m))
    for i in range(m):
        for k in range(m):
            if step[i * m + k] != 0.0:
                for j in range(m):
                    moved[i, j] += step[i * m + k] * cov[k, j]
    for i in range(m):
        for j in range(i + 1):
            value = 0.0
            for k in range(m):
                value += moved[i, k] * step[j * m + k]
            for k in range(width):
                value += noise[i * width + k] * noise[j * width + k]
            new[i, j] += weight * value


def _form(summed: Floats, mean: Floats, cov: Floats) -> float:
    """The mean of a quadratic form in (state, 1)."""
    m = len(mean)
    value: float = summed[m, m]
    for i in range(m):
        value += 2 * summed[i, m] * mean[i]
        for j in range(m):
            value += summed[i, j] * (mean[i] * mean[j] + cov[i, j])
    return value


def _product(step: Floats, mean: Floats, add: Floats, out: Floats) -> None:
    """out = A mean + add, A as flat rows."""
    m = len(mean)
    for i in range(m):
        out[i] = add[i]
        for k in range(m):
            out[i] += step[i * m + k] * mean[k]


_scaled_sums, _spread = njit(cache=True)(_scaled_sums), njit(cache=True)(_spread)
_form, _product = njit(cache=True)(_form), njit(cache=True)(_product)


def _loop(
    places: NDArray[np.int64], powers: Floats, a: Floats, b: Floats, n: Floats, weights: Floats,
    off_a: Floats, off_b: Floats, off_n: Floats, summed: Floats, mean: Floats, cov: Floats,
    total: Floats,
) -> None:  # fmt: skip
    """All arrays of a block with the axes of one map flat."""
    m = len(mean)
    step, add, noise = np.zeros(a.shape[2]), np.zeros(m), np.zeros(n.shape[2])
    centre, v = np.zeros(m), np.zeros(m)
    for t in range(len(places)):
        p = places[t]
        total[0] += _form(summed[p], mean, cov)
        new = np.zeros((m, m))
        _scaled_sums(powers[t], a[p], step)
        _scaled_sums(powers[t], b[p], add)
        _scaled_sums(powers[t], n[p], noise)
        _spread(1.0, step, cov, noise, new)
        _product(step, mean, add, centre)
        for k in range(off_a.shape[2]):
            if weights[p, k] != 0.0:
                _scaled_sums(powers[t], off_a[p, :, k], step)
                _scaled_sums(powers[t], off_b[p, :, k], add)
                _scaled_sums(powers[t], off_n[p, :, k], noise)
                _spread(weights[p, k], step, cov, noise, new)
                _product(step, mean, add, v)
                for i in range(m):
                    for j in range(i + 1):
                        new[i, j] += weights[p, k] * v[i] * v[j]
        for i in range(m):
            mean[i] = centre[i]
            for j in range(i + 1):
                cov[i, j] = cov[j, i] = new[i, j]


_advance: Any = njit(cache=True)(_loop)

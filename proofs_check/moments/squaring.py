r"""Many periods at once: the linear map of the second moments, squared again and again.

The moments are those of (y - c, 1), c near where a period's mean map comes to rest, so that little
is lost when the mean's square is taken off. A map acts on the (m + 1)(m + 2) / 2 numbers of a
symmetric matrix and on the running sum.
"""

from __future__ import annotations

import numpy as np

from proofs_check.moments.blocks import Block
from proofs_check.moments.course import Course
from proofs_check.moments.recursion import Moments
from theory.arrays import Floats

MOST = 28
"""The largest block whose second moments are squared as one vector."""

_DOUBLINGS = 30  # after so many a mean map has come to rest, and eigenvalues 1 are 1 still


class Periods:
    """Powers of a block's period: 1, 2, 4, ... of them, each found when it is first asked for."""

    def __init__(self, block: Block, course: Course, summed: Floats) -> None:
        phases = range(course.begin, course.begin + course.period)
        self._m = block.size
        self._half = np.triu_indices(self._m + 1)
        whole = np.eye(self._m + 1)
        for p in phases:
            whole = _mean_map(block, p) @ whole
        self._centre = _rest(whole)
        one = np.eye(len(self._half[0]) + 1)
        for p in phases:
            one = self._phase(block, p, summed[p]) @ one
        self._powers = [one]

    def after(self, moments: Moments, count: int) -> Moments:
        """Moments after ``count`` periods, from one of whose first steps ``moments`` are."""
        m, mean = self._m, np.append(moments.mean - self._centre, 1.0)
        second = np.outer(mean, mean)
        second[:m, :m] += moments.cov
        vector = np.append(second[self._half], 0.0)
        for k in range(count.bit_length()):
            if count >> k & 1:
                vector = self._power(k) @ vector
        second = np.zeros((m + 1, m + 1))
        second[self._half] = vector[:-1]
        mean, total = second[:m, m], moments.total + float(vector[-1])
        cov = second[:m, :m] - np.outer(mean, mean)
        return Moments(mean + self._centre, np.triu(cov) + np.triu(cov, 1).T, total)

    def _power(self, k: int) -> Floats:
        while len(self._powers) <= k:
            with np.errstate(over="ignore", invalid="ignore"):
                self._powers.append(self._powers[-1] @ self._powers[-1])
        return self._powers[k]

    def _phase(self, block: Block, p: int, summed: Floats) -> Floats:
        """One step's map of (second moments, running sum)."""
        size, shift = self._m + 1, np.eye(self._m + 1)
        shift[:-1, -1] = self._centre
        back = 2 * np.eye(size) - shift
        step = back @ _mean_map(block, p) @ shift
        whole = np.kron(step, step)
        noise = block.noise[p, 0] @ block.noise[p, 0].T
        for k, weight in enumerate(block.weights[p]):
            off = np.zeros((size, size))
            off[:-1, :-1], off[:-1, -1] = block.off_a[p, 0, k], block.off_b[p, 0, k]
            off = off @ shift
            whole += weight * np.kron(off, off)
            noise = noise + weight * block.off_noise[p, 0, k] @ block.off_noise[p, 0, k].T
        whole.reshape(size, size, -1)[:-1, :-1, -1] += noise
        rows, columns = self._half
        there, again = rows * size + columns, columns * size + rows
        found = np.zeros((len(rows) + 1, len(rows) + 1))
        found[:-1, :-1] = whole[there][:, there] + (rows != columns) * whole[there][:, again]
        form = shift.T @ summed @ shift
        found[-1, :-1], found[-1, -1] = (2 - (rows == columns)) * form[self._half], 1.0
        return found


def _mean_map(block: Block, p: int) -> Floats:
    whole = np.eye(block.size + 1)
    whole[:-1, :-1], whole[:-1, -1] = block.a[p, 0], block.b[p, 0]
    return whole


def _rest(whole: Floats) -> Floats:
    """Where the map ``[m + 1, m + 1]`` comes to rest from zero; zero where it does not."""
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_DOUBLINGS):
            whole = whole @ whole
    rest: Floats = whole[:-1, -1]
    near = np.isfinite(rest).all() and np.abs(rest).max(initial=0) < 1e6
    return rest if near else np.zeros_like(rest)

r"""Many periods at once: the linear map of the moments, squared again and again.

With e = y - c, c near where a period's mean map comes to rest, a step maps e's mean, the square of
(mean, 1), the covariance, which those feed, and the running sum, which both feed: nothing is ever
taken off. Symmetric matrices stand as their upper halves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proofs_check.moments.blocks import MomentBlock
from proofs_check.moments.course import MapSequence
from proofs_check.moments.recursion import BlockMoments
from theory.arrays import Floats

MOST = 28
"""The largest block whose moments are squared."""

_DOUBLINGS = 30  # after so many a mean map has come to rest, and eigenvalues 1 are 1 still


class Power(NamedTuple):
    """Effect of some steps: (mean, 1) by ``mean``, the half of its square u by ``square``, that of
    the covariance s to cov s + fed u, the running sum by by_square u + by_cov s.

    Attributes:
        mean: ``[m + 1, m + 1]``.
        cov: of the covariance ``[m (m + 1) / 2]`` on itself.
    """

    mean: Floats
    square: Floats
    cov: Floats
    fed: Floats
    by_square: Floats
    by_cov: Floats

    def then(self, later: Power) -> Power:
        """These steps and then the ``later`` ones."""
        with np.errstate(over="ignore", invalid="ignore"):
            return Power(
                later.mean @ self.mean,
                later.square @ self.square,
                later.cov @ self.cov,
                later.cov @ self.fed + later.fed @ self.square,
                self.by_square + later.by_square @ self.square + later.by_cov @ self.fed,
                self.by_cov + later.by_cov @ self.cov,
            )


class PeriodPowers:
    """Powers of a block's period: 1, 2, 4, ... of them, each found when it is first asked for."""

    def __init__(self, block: MomentBlock, course: MapSequence, summed: Floats) -> None:
        phases = range(course.begin, course.begin + course.period)
        whole = np.eye(block.size + 1)
        for p in phases:
            whole = mean_map(block, p) @ whole
        self._centre = rest(whole)
        steps = [_step(block, p, self._centre, summed[p]) for p in phases]
        for later in steps[1:]:
            steps[0] = steps[0].then(later)
        self._powers = steps[:1]

    def after(self, moments: BlockMoments, count: int) -> BlockMoments:
        """Moments after ``count`` periods, from one of whose first steps ``moments`` are."""
        m = len(moments.mean)
        mean, total = np.append(moments.mean - self._centre, 1.0), moments.total
        square, cov = np.outer(mean, mean)[np.triu_indices(m + 1)], moments.cov[np.triu_indices(m)]
        for k in range(count.bit_length()):
            if len(self._powers) <= k:
                self._powers.append(self._powers[-1].then(self._powers[-1]))
            if count >> k & 1:
                one = self._powers[k]
                total += float(one.by_square @ square + one.by_cov @ cov)
                cov = one.cov @ cov + one.fed @ square
                mean = one.mean @ mean
                square = np.outer(mean, mean)[np.triu_indices(m + 1)]
        whole = np.zeros((m, m))
        whole[np.triu_indices(m)] = cov
        return BlockMoments(mean[:m] + self._centre, whole + np.triu(whole, 1).T, total)


def _step(block: MomentBlock, p: int, centre: Floats, summed: Floats) -> Power:
    """Effect of the step of one phase."""
    m = block.size
    shift, back = np.eye(m + 1), np.eye(m + 1)
    shift[:-1, -1], back[:-1, -1] = centre, -centre
    step: Floats = back @ mean_map(block, p) @ shift
    square: NDArray[np.floating[Any]] = np.kron(step, step)
    every, inner = np.triu_indices(m + 1), np.triu_indices(m)
    cov: NDArray[np.floating[Any]] = np.kron(step[:-1, :-1], step[:-1, :-1])
    fed = np.zeros((m, m, m + 1, m + 1))
    fed[:, :, -1, -1] = block.noise[p, 0] @ block.noise[p, 0].T
    for k, weight in enumerate(block.weights[p]):
        off = np.column_stack((block.off_a[p, 0, k], block.off_b[p, 0, k])) @ shift
        fed += weight * np.einsum("ik,jl->ijkl", off, off)
        fed[:, :, -1, -1] += weight * block.off_noise[p, 0, k] @ block.off_noise[p, 0, k].T
        cov += weight * np.kron(off[:, :-1], off[:, :-1])
    form = shift.T @ summed @ shift
    twice = 2.0 - (every[0] == every[1])
    return Power(
        step,
        _halved(square, every, every),
        _halved(cov, inner, inner),
        _halved(fed.reshape(m * m, -1), inner, every),
        twice * form[every],
        (2.0 - (inner[0] == inner[1])) * form[inner],
    )


Half = tuple[NDArray[np.intp], NDArray[np.intp]]


def _halved(whole: NDArray[np.floating[Any]], rows: Half, columns: Half) -> Floats:
    """A map of symmetric matrices as one of their upper halves."""
    high, wide = int(rows[0].max()) + 1, int(columns[0].max()) + 1
    (i, j), (k, l) = rows, columns  # noqa: E741
    kept = whole[i * high + j]
    found: Floats = kept[:, k * wide + l] + (k != l) * kept[:, l * wide + k]
    return found


def mean_map(block: MomentBlock, p: int) -> Floats:
    """The map ``[m + 1, m + 1]`` of (mean, 1) of one phase's step."""
    whole = np.eye(block.size + 1)
    whole[:-1, :-1], whole[:-1, -1] = block.a[p, 0], block.b[p, 0]
    return whole


def rest(whole: Floats) -> Floats:
    """Fixed point of the map ``[m + 1, m + 1]`` reached from zero; zero where it has none."""
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_DOUBLINGS):
            whole = whole @ whole
    rest: Floats = whole[:-1, -1]
    near = np.isfinite(rest).all() and np.abs(rest).max(initial=0) < 1e6
    return rest if near else np.zeros_like(rest)

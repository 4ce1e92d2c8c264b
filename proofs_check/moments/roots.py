r"""Many periods at once where nothing is chosen: means, and roots of covariances.

With e = y - c, c near where a period's mean map rests, k steps take (e, 1) to M (e, 1) and a
covariance S to A S A^T + R R^T, A the upper left part of M; what squared rows F (e, 1) add up to
over the steps is \|G (e, 1)\|^2 + tr(G S G^T) + s. Two stretches of steps, 1 and then 2, make one:

    M = M_2 M_1,  R = (A_2 R_1, R_2),  G = (G_1; G_2 M_1),  s = s_1 + s_2 + \|G_2 R_1\|^2,

R and G with as many columns, or rows, as a state has numbers, by a QR decomposition. Nothing but
squares is added, and a root is off by rounding in proportion to itself. A covariance is off by
rounding in proportion to its largest entry: in a direction in which a state cannot move and which
its map conserves (s - W \hat x of CHOCO-SGD) that grows with the steps, and acts on the models.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from proofs_check.moments.blocks import MomentBlock
from proofs_check.moments.course import MapSequence
from proofs_check.moments.recursion import StepClock
from proofs_check.moments.squaring import mean_map, rest
from theory.arrays import Floats


class RootMoments(NamedTuple):
    """Mean ``[m]`` of a block's numbers, a root ``[m, r]`` of their covariance, the running sum.

    Attributes:
        mean: the mean.
        root: R, with R R^T the covariance.
        total: the sum over the steps before of what is summed.
    """

    mean: Floats
    root: Floats
    total: float

    def variances(self, rows: Floats) -> Floats:
        """Variances of rows ``[r, m]`` of the state; infinite where a root is no number."""
        with np.errstate(over="ignore", invalid="ignore"):
            fed = rows @ self.root
            found: Floats = np.nan_to_num((fed * fed).sum(-1), nan=np.inf, posinf=np.inf)
        return found


class _Stretch(NamedTuple):
    """Effect of some steps: M ``[m + 1, m + 1]``, R ``[m, r]``, G ``[g, m + 1]`` and s."""

    mean: Floats
    root: Floats
    rows: Floats
    total: float

    def then(self, later: _Stretch) -> _Stretch:
        """These steps and then the ``later`` ones."""
        with np.errstate(over="ignore", invalid="ignore"):
            fed = later.rows[:, :-1] @ self.root
            return _Stretch(
                later.mean @ self.mean,
                _narrow(np.hstack((later.mean[:-1, :-1] @ self.root, later.root))),
                _narrow(np.vstack((self.rows, later.rows @ self.mean)).T).T,
                self.total + later.total + float((fed * fed).sum()),
            )


class RootPeriods:
    """Steps of a block without choices: single ones, and powers of its period, each found when it
    is first asked for. ``rows`` ``[P, g, m + 1]`` of (state, 1) are squared and summed."""

    def __init__(self, block: MomentBlock, course: MapSequence, rows: Floats) -> None:
        whole = np.eye(block.size + 1)
        for p in range(course.begin, course.begin + course.period):
            whole = mean_map(block, p) @ whole
        self._centre = rest(whole)
        self._steps = [_step(block, p, self._centre, rows[p]) for p in range(len(block.a))]
        power = self._steps[course.begin]
        for later in self._steps[course.begin + 1 : course.begin + course.period]:
            power = power.then(later)
        self._powers = [power]

    def stepped(self, moments: RootMoments, clock: StepClock) -> RootMoments:
        """Moments after the clock's steps."""
        return self._after(moments, (self._steps[p] for p in clock.places))

    def after(self, moments: RootMoments, count: int) -> RootMoments:
        """Moments after ``count`` periods, from one of whose first steps ``moments`` are."""
        while len(self._powers) < count.bit_length():
            self._powers.append(self._powers[-1].then(self._powers[-1]))
        return self._after(moments, (one for k, one in enumerate(self._powers) if count >> k & 1))

    def _after(self, moments: RootMoments, parts: Iterable[_Stretch]) -> RootMoments:
        mean, root = np.append(moments.mean - self._centre, 1.0), moments.root
        total = moments.total
        with np.errstate(over="ignore", invalid="ignore"):
            for one in parts:
                seen, fed = one.rows @ mean, one.rows[:, :-1] @ root
                total += float(seen @ seen) + float((fed * fed).sum()) + one.total
                mean = one.mean @ mean
                root = _narrow(np.hstack((one.mean[:-1, :-1] @ root, one.root)))
        return RootMoments(mean[:-1] + self._centre, root, total)


def root_start(block: MomentBlock) -> RootMoments:
    """At the start everything is known."""
    return RootMoments(block.start, np.zeros((block.size, 0)), 0.0)


def _step(block: MomentBlock, p: int, centre: Floats, rows: Floats) -> _Stretch:
    """Effect of the step of one phase."""
    shift, back = np.eye(block.size + 1), np.eye(block.size + 1)
    shift[:-1, -1], back[:-1, -1] = centre, -centre
    mean: Floats = back @ mean_map(block, p) @ shift
    return _Stretch(mean, _narrow(block.noise[p, 0]), rows @ shift, 0.0)


def _narrow(root: Floats) -> Floats:
    """A root ``[m, r]`` of the same square with at most m columns; one of infinities where a number
    of it is not finite."""
    m, r = root.shape
    if r <= m:
        return root
    if not np.isfinite(root).all():
        return np.full((m, 1), np.inf)
    found: Floats = np.asarray(np.linalg.qr(root.T, mode="r")).T
    return found

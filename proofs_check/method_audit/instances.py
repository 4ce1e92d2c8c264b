"""Instances that a method is audited on: diagonal quadratics whose minimiser is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from theory.arrays import Floats

_FILL = 1e300  # what a reused buffer holds after the next call


@final
@dataclass(frozen=True, eq=False)
class AuditInstance:
    r"""f_i(x) = \sum_j a_ij (x_j - b_ij)^2/2 of n workers that start at ``x0`` ``[d]``.

    Attributes:
        name: what verdicts call it.
        a: curvatures ``[n, d]``.
        b: minimisers ``[n, d]``.
        W: the mixing matrix ``[n, n]`` that a method which asks for one is given.
    """

    name: str
    a: Floats
    b: Floats
    x0: Floats
    W: Floats

    @property
    def n(self) -> int:
        """How many workers there are."""
        return len(self.a)

    @property
    def d(self) -> int:
        """How many coordinates there are."""
        return len(self.x0)

    @cached_property
    def x_star(self) -> Floats:
        """The minimiser of the mean ``[d]``."""
        found: Floats = (self.a * self.b).sum(0) / self.a.sum(0)
        return found

    @property
    def scale(self) -> float:
        """The largest distance that matters [x]."""
        return float(max(np.abs(self.b - self.x_star).max(), np.abs(self.x0 - self.x_star).max()))

    def shifted(self, worker: int, by: float) -> AuditInstance:
        """The same with a worker's minimiser elsewhere."""
        b = self.b.copy()
        b[worker] += by
        return replace(self, name=f"{self.name}, worker {worker} elsewhere", b=b)


def one_curvature(curvature: float, W: Floats) -> AuditInstance:
    """All workers with f = a x^2/2 in one coordinate, from 1."""
    n = len(W)
    shape = np.ones((n, 1))
    return AuditInstance("one curvature", curvature * shape, 0 * shape, np.ones(1), W)


W2 = np.array([[0.75, 0.25], [0.25, 0.75]])
W3 = np.array([[0.5, 0.25, 0.25], [0.25, 0.625, 0.125], [0.25, 0.125, 0.625]])
"""Symmetric, doubly stochastic, eigenvalues 1, 1/2, 1/4."""

P2 = AuditInstance(
    "P2", np.array([[1.0], [4.0]]), np.array([[0.0], [1.0]]), np.zeros(1), W2
)  # fmt: skip
PE = AuditInstance(
    "PE", np.ones((2, 2)), np.array([[2.0, 1.0], [-2.0, 1.5]]), np.zeros(2), W2
)  # fmt: skip
APART = AuditInstance(
    "APART",
    np.array([[1.0, 0.25], [0.5, 2.0], [3.0, 1.0]]),
    np.array([[1.0, -2.0], [-0.5, 0.75], [2.0, 1.5]]),
    np.array([-1.0, 0.5]), W3,
)  # fmt: skip
"""Three workers with Hessians and minimisers of their own, not started at 0."""

INSTANCES = (P2, PE, APART)


@final
class GradientOracle:
    """The oracle: ``gradients(x)`` ``[n, d]`` at x ``[d]`` (one point for all workers) or
    ``[n, d]`` (worker i's at row i); ``gradients(x_i, i)`` of one worker.

    ``reuses``: what it gave is overwritten by the next call, as a gradient's buffer is.

    Attributes:
        instance: what it is the oracle of.
    """

    def __init__(self, instance: AuditInstance, reuses: bool = False) -> None:
        self.instance, self._reuses = instance, reuses
        self._given: list[Floats] = []

    def __call__(self, x: Floats, worker: int | None = None) -> Floats:
        one = self.instance
        a, b = (one.a, one.b) if worker is None else (one.a[worker], one.b[worker])
        found: Floats = np.asarray(a * (np.asarray(x, dtype=np.float64) - b))
        if self._reuses:
            for old in self._given:
                old.fill(_FILL)
            self._given = [found]
        return found

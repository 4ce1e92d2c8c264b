"""Functions through given points, gradients and values: what a worst case is run again on."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from algorithms.problems.base import pair_shape
from algorithms.problems.tensor_problem import Noiseless, TensorProblem
from proofs_check.worst_case.functions import FunctionClass, Smooth
from theory.arrays import Floats
from theory.constants import Constants

_SUPPORT, _TIE = 1e-6, 1e-7


@final
@dataclass(frozen=True, eq=False)
class InterpolatedProblem(Noiseless, TensorProblem):
    r"""f_i is the largest function of its class through ``points``, ``gradients`` and ``values``.

    For smooth ones, f - mu |x|^2/2 is the conjugate of the largest of the quadratics that every
    sample asks of its conjugate (Taylor, Hendrickx, Glineur 2017, arXiv:1502.05666, Theorem 4), a
    quadratic programme over the simplex; for Lipschitz ones the largest of the samples' planes.

    Attributes:
        name: what reports call it.
        points: where each f_i is known ``[n, K, d]``.
        gradients: its gradients there ``[n, K, d]``.
        values: its values there ``[n, K]``.
        kind: the class.
        stated: constants of the class and of the start.
        first: x_0 ``[d]``.
    """

    name: str
    points: Tensor
    gradients: Tensor
    values: Tensor
    kind: FunctionClass
    stated: Constants
    first: Tensor

    rowwise = True

    @property
    def tensor(self) -> Tensor:
        return self.points

    @property
    def x_star(self) -> Tensor | None:
        return None if self.stated.R2 is None else torch.zeros_like(self.first)

    @property
    def f_star(self) -> float:
        return 0.0

    def start(self) -> Tensor:
        return self.first.clone()

    def constants(self) -> Constants:
        return self.stated

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described("interpolated", self.points, self.gradients, self.values)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        lead = pair_shape(x, workers)
        points = x.expand(*lead, self.d).reshape(-1, self.d).numpy()
        subset = workers.expand(lead).reshape(-1).tolist()
        rows = [self._sampled(i, point)[1] for i, point in zip(subset, points, strict=True)]
        return torch.from_numpy(np.stack(rows)).reshape(*lead, self.d)

    def value(self, x: Tensor) -> Tensor:
        points = x.reshape(-1, self.d).numpy()
        found = [np.mean([self._sampled(i, p)[0] for i in range(self.n)]) for p in points]
        return torch.tensor(found, dtype=x.dtype).reshape(x.shape[:-1])

    def mean_gradient(self, x: Tensor) -> Tensor:
        return self.all_gradients(x).mean(-2)

    def _sampled(self, worker: int, x: Floats) -> tuple[float, Floats]:
        """Value and gradient of f_i at a point ``[d]``."""
        known = (self.points[worker], self.gradients[worker], self.values[worker])
        points, gradients, values = (one.numpy() for one in known)
        if isinstance(self.kind, Smooth):
            return smooth_interpolant(points, gradients, values, self.kind, x)
        planes = values + ((x - points) * gradients).sum(-1)
        top = float(planes.max())
        active = np.flatnonzero(planes >= top - _TIE * (1 + np.abs(planes).max()))
        k = active[np.square(points[active] - x).sum(-1).argmin()]
        return top, gradients[k]


def smooth_interpolant(
    points: Floats, gradients: Floats, values: Floats, kind: Smooth, x: Floats
) -> tuple[float, Floats]:
    """Value and gradient at x of the largest function of the class through the samples."""
    most = kind.L - kind.mu
    g = gradients - kind.mu * points
    f = values - kind.mu / 2 * np.square(points).sum(-1)
    a = g - most * points
    v = f - np.square(g).sum(-1) / (2 * most)
    weights = _on_simplex(a @ a.T / most, a @ x + v)
    slope = most * x + weights @ a
    value = slope @ slope / (2 * most) + weights @ v + kind.mu / 2 * x @ x
    return float(value), slope + kind.mu * x


def _on_simplex(p: Floats, q: Floats) -> Floats:
    """argmin of l' p l/2 + q' l over l >= 0 with sum 1: by Clarabel, then exactly on its
    support."""
    size = len(q)
    if size == 1:
        return np.ones(1)
    clarabel: Any = importlib.import_module("clarabel")
    rows = sparse.csc_matrix(np.vstack((np.ones(size), -np.eye(size))))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(p)), q, rows, np.eye(size + 1)[0],
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(size)], settings,
    )  # fmt: skip
    found = np.maximum(np.array(solver.solve().x), 0.0)
    found /= found.sum()
    kept = np.flatnonzero(found > _SUPPORT)
    system = np.block([[p[np.ix_(kept, kept)], np.ones((len(kept), 1))],
                       [np.ones((1, len(kept))), np.zeros((1, 1))]])  # fmt: skip
    exact = np.linalg.lstsq(system, np.append(-q[kept], 1.0), rcond=None)[0][:-1]
    new = np.zeros(size)
    new[kept] = exact
    better = exact.min() >= 0 and new @ p @ new / 2 + q @ new <= found @ p @ found / 2 + q @ found
    return new if better else found

r"""Largest eigenvalues of Gram matrices: dense where that is cheap, else bounds by Lanczos' method.

From a start that is uniform in direction, the largest Ritz value \theta after k steps satisfies
P(\theta < (1 - \epsilon) \lambda_1) <= 1.648 \sqrt{d} e^{-\sqrt\epsilon (2k - 1)} whatever the
spectrum (Kuczynski, Wozniakowski 1992, SIAM J. Matrix Anal. Appl. 13, Theorem 4.2).
"""

from __future__ import annotations

import math

import numpy as np
import scipy
import torch
from torch import Tensor

from algorithms.kernels.row_products import weighted_gram_times
from theory.arrays import Floats

_DENSE = 1000  # rows or columns of a matrix whose eigenvalues are found densely
_BATCHED = 64  # largest matrices that are better solved together than one by one
_STEPS = 60  # of Lanczos' method: 5% above the largest eigenvalue at most, for d = 10,000
_ERROR = 1e-10  # probability that the start is so unlucky that the bound does not hold


def dense(*shape: int) -> bool:
    """Whether largest eigenvalues of rows ``[N, d]`` are found densely, to rounding."""
    return min(shape) <= _DENSE


def largest(matrices: Tensor) -> Tensor:
    """Largest eigenvalues ``[B]`` of symmetric matrices ``[B, k, k]`` (float64)."""
    if matrices.shape[-1] <= _BATCHED or not matrices.is_cpu:
        spectrum: Tensor = torch.linalg.eigvalsh(matrices)
        return spectrum[:, -1]
    found = [_largest(one) for one in matrices.numpy()]
    return torch.tensor(found, dtype=torch.float64)


def _largest(matrix: Floats) -> float:
    """Of one matrix ``[k, k]``, whose lower half may be left out."""
    last = len(matrix) - 1
    values = scipy.linalg.eigh(
        matrix, lower=False, eigvals_only=True, subset_by_index=(last, last), check_finite=False
    )
    return float(values[0])


def squared_norms(matrices: Tensor) -> Tensor:
    """Largest eigenvalues ``[n]`` of A^T A, for A ``[n, S, d]``, by the smaller of two Gram
    matrices."""
    found = []
    for own in matrices:
        gram = own @ own.mT if len(own) < own.shape[1] else own.mT @ own
        found.append(largest(gram[None]))
    return torch.cat(found).clamp_min(0.0)


def top(rows: Tensor) -> float:
    """Largest eigenvalue of (1/N) sum p p^T over rows p ``[N, d]``: to rounding where it is found
    densely (:func:`dense`), else a bound from above."""
    count, d = rows.shape
    if not dense(count, d):
        return lanczos_bound(rows.cpu().contiguous().numpy(), _STEPS) / count
    wide = rows.double().cpu().contiguous().numpy().T
    return _largest(scipy.linalg.blas.dsyrk(1.0 / count, wide, trans=count < d))


def lanczos_bound(rows: Floats, steps: int) -> float:
    """Upper bound on the largest eigenvalue of P^T P for rows P ``[N, d]``, from ``steps`` passes.

    The largest Ritz value over 1 - epsilon, with epsilon such that this is no bound with
    probability 1e-10 at most (Kuczynski, Wozniakowski 1992, SIAM J. Matrix Anal. Appl. 13). The
    basis is kept orthogonal to rounding.

    Raises:
        ValueError: too few steps for a bound.
    """
    d = rows.shape[1]
    if steps >= d:
        return _largest(rows.T.astype(np.float64) @ rows)
    ritz = _ritz_value(rows, steps)
    root = math.log(1.648 * math.sqrt(d) / _ERROR) / (2 * steps - 1)
    if root >= 1:
        raise ValueError(f"steps must be more for a bound with d={d}, got steps={steps}")
    return ritz / (1 - root**2)


def _ritz_value(rows: Floats, steps: int) -> float:
    """Largest eigenvalue of P^T P on the Krylov space of a start whose direction is uniform."""
    d, ones = rows.shape[1], np.ones(len(rows))
    basis = np.empty((steps, d))
    diagonal, beside = np.zeros(steps), np.zeros(steps)
    v: Floats = np.random.default_rng(0).standard_normal(size=(d,))
    for k in range(steps):
        length: float = np.linalg.norm(v).item()
        if k and length <= 1e-12 * float(diagonal[:k].max()):
            steps = k  # the space is closed: its Ritz values are eigenvalues
            break
        basis[k] = v / length
        beside[k] = length
        image = weighted_gram_times(rows, ones, basis[k])
        diagonal[k] = basis[k] @ image
        seen = basis[: k + 1]
        v = np.asarray(image - (seen @ image) @ seen)
        v = np.asarray(v - (seen @ v) @ seen)  # once more: the first pass leaves what it cancels
    values = scipy.linalg.eigh_tridiagonal(
        diagonal[:steps], beside[1:steps], eigvals_only=True, select="i",
        select_range=(steps - 1, steps - 1),
    )  # fmt: skip
    return float(values[0])

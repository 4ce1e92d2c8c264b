"""Constants of logistic regression that hold for every x, from signed rows p_is ``[n, S, d]``.

grad f_i(x) = r'(x) - (1/S) sum_s w_s p_is with weights w_s in (0, 1) that depend on x: each bound
is a maximum over all weights in [0, 1]^S.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
import torch
from torch import Tensor

_DENSE = 1000
_SWEEPS = 12
_RANK = 8
_PACE = 0.3

_OUTWARD = 0.27846454276107380
"""Largest z / (1 + e^z): z - 1 where (z - 1) e^z = 1, Lambert's W(1/e)."""


def tops(rows: Tensor) -> Tensor:
    """Largest eigenvalue of (1/S) sum_s p_is p_is^T for each worker, ``[n]`` float64."""
    _, samples, d = rows.shape
    wide = rows.double()
    gram = wide @ wide.mT if samples < d else wide.mT @ wide
    spectrum: Tensor = torch.linalg.eigvalsh(gram / samples)
    return spectrum[:, -1].cpu()


def top(rows: Tensor) -> float:
    """Largest eigenvalue of (1/N) sum p p^T over all rows ``[N, d]``."""
    if rows.shape[1] <= _DENSE:
        return float(tops(rows[None])[0])
    wide = rows.double().cpu().numpy()
    d = rows.shape[1]

    def times(v: object) -> object:
        return (wide @ v) @ wide / len(wide)

    operator = scipy.sparse.linalg.LinearOperator((d, d), matvec=times, dtype=np.float64)
    return float(
        scipy.sparse.linalg.eigsh(
            operator, k=1, which="LA", v0=np.ones(d), return_eigenvectors=False
        )[0]
    )


def boxed(rows: Tensor) -> Tensor:
    r"""Upper bound on \max \|P_i^T u\|^2 / S^2 over u in [-1/2, 1/2]^S, ``[n]`` float64.

    Any scales D > 0 give one: \|P^T u\|^2 <= top(\sum_s p_s p_s^T / D_s) \sum_s D_s u_s^2, that of
    a relaxation to semidefinite matrices for the best D (Nesterov 1998: at most pi/2 times the
    maximum). D = 1 is where the search begins; each of the few sweeps moves D towards
    D_s^2 = p_s^T Y p_s with Y on the directions that are largest.
    """
    wide = rows.double()
    samples, lengths = wide.shape[1], wide.norm(dim=-1)
    best, scales = 0.25 * tops(rows), lengths
    least = 1e-9 * lengths.amax(-1, keepdim=True).clamp_min(1e-300)
    for _ in range(_SWEEPS if wide.shape[2] <= _DENSE else 0):
        scales = scales.maximum(least)
        scales = scales / scales.mean(-1, keepdim=True)
        thin = wide / scales.sqrt()[..., None]
        spectrum, ways = torch.linalg.eigh(thin.mT @ thin)
        bound = 0.25 * spectrum[:, -1] * scales.sum(-1) / samples**2
        best = torch.minimum(best, bound.cpu())
        weights = (spectrum / spectrum[:, -1:].clamp_min(1e-300)).clamp_min(0.0) ** _RANK
        moved = ((wide @ ways).square() @ weights[..., None])[..., 0].sqrt()
        moved = moved / moved.mean(-1, keepdim=True).clamp_min(1e-300)
        scales = scales ** (1 - _PACE) * moved**_PACE
    return best


def reach(rows: Tensor, lam: float, longest_step: float) -> float:
    r"""Radius [x] that SGD from x_0 = 0 never leaves with r = (lam/2) \|x\|^2 and \gamma up to
    ``longest_step`` <= 1/lam, whatever samples are drawn.

    A step is x' = (1 - \gamma lam) x + \gamma v with v a mean of w_s p_s, w_s = 1/(1 + e^{z_s}) and
    z_s = p_s^T x. So v^T x is a mean of z / (1 + e^z) <= W(1/e) = 0.278 = a/2, and with
    \|v\| <= B = \max \|p\|, \|x'\|^2 <= (1 - \gamma lam)^2 \|x\|^2 + a \gamma (1 - \gamma lam) +
    \gamma^2 B^2, whose fixed point is (a (1 - \gamma lam) + \gamma B^2) / (lam (2 - \gamma lam)),
    monotone in \gamma. Means of such models stay inside too.
    """
    squares = [
        (2 * _OUTWARD * (1 - step * lam) + step * longest(rows) ** 2) / (lam * (2 - step * lam))
        for step in (0.0, longest_step)
    ]
    return math.sqrt(max(squares))


def mean_square(rows: Tensor) -> Tensor:
    """(1/S) sum_s ||p_is||^2, ``[n]`` float64."""
    return rows.double().square().sum(-1).mean(-1).cpu()


def variance(rows: Tensor, batch: int) -> float:
    r"""Upper bound on max_i E||g_i(x) - grad f_i(x)||^2 for all x.

    b times the variance is at most (1/S) \sum_s \|w_s p_s - c\|^2 for any c, convex in w, hence at
    most (1/S) \sum_s \max(\|c\|^2, \|p_s - c\|^2); the better of c = 0 and c = \bar p_i / 2.
    """
    wide = rows.double()
    centre = 0.5 * wide.mean(1, keepdim=True)
    square = centre.square().sum(-1)
    moved = wide.square().sum(-1) - 2 * (wide * centre).sum(-1) + square
    centred = torch.maximum(moved, square).mean(-1).cpu()
    return torch.minimum(centred, mean_square(rows)).max().item() / batch


def heterogeneity(rows: Tensor, boxed_: Tensor) -> float:
    r"""Upper bound on (1/n) \sum_i \|\nabla f_i(x) - \nabla f(x)\|^2 for all x.

    With w = 1/2 + u, the deviation of grad f_i from r' - \bar p / 2 is at most
    \|\bar p_i - \bar p\| / 2 + \|P_i^T u\| / S, the last one at most the root of ``boxed_``
    (:func:`boxed`).
    """
    means = rows.double().mean(1).cpu()
    apart = (means - means.mean(0)).square().sum(-1).sqrt()
    return (0.5 * apart + boxed_.sqrt()).square().mean().item()


def second_moment(rows: Tensor, tops_: Tensor, boxed_: Tensor, batch: int) -> float:
    r"""Upper bound on max_i E\|g_i(x) - r'(x)\|^2 for all x.

    It is (1 - 1/b) \|v\|^2 + (1/b) (1/S) \sum_s w_s^2 \|p_s\|^2 with v = (1/S) P_i^T w and
    \|v\| at most \sqrt{top_i}, and at most \|\bar p_i\| / 2 and the root of ``boxed_``
    (:func:`boxed`).
    """
    half = 0.5 * rows.double().mean(1).norm(dim=-1).cpu()
    means = torch.minimum(tops_, (half + boxed_.sqrt()).square())
    bound = (1 - 1 / batch) * means + mean_square(rows) / batch
    return bound.max().item()


def longest(rows: Tensor) -> float:
    """Norm of the longest of the rows p_is, samples s of workers i: max_is ||p_is||."""
    return rows.double().square().sum(-1).max().sqrt().item()

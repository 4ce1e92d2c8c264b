"""Constants of logistic regression that hold for every x, from signed rows p_is ``[n, S, d]``.

grad f_i(x) = r'(x) - (1/S) sum_s w_s p_is with weights w_s in (0, 1) that depend on x: each bound
is a maximum over all weights in [0, 1]^S.
"""

from __future__ import annotations

import numpy as np
import scipy
import torch
from torch import Tensor

_DENSE = 1000


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


def heterogeneity(rows: Tensor, tops_: Tensor) -> float:
    r"""Upper bound on (1/n) \sum_i \|\nabla f_i(x) - \nabla f(x)\|^2 for all x.

    With w = 1/2 + u, the deviation of grad f_i from r' - \bar p / 2 is at most
    \|\bar p_i - \bar p\| / 2 + \sqrt{top_i} / 2, since \|P_i^T u\| / S <= \sqrt{top_i / S} \|u\|
    and \|u\| <= \sqrt S / 2.
    """
    means = rows.double().mean(1).cpu()
    apart = (means - means.mean(0)).square().sum(-1).sqrt()
    return (0.5 * (apart + tops_.sqrt())).square().mean().item()


def second_moment(rows: Tensor, tops_: Tensor, batch: int) -> float:
    r"""Upper bound on max_i E\|g_i(x) - r'(x)\|^2 for all x.

    It is (1 - 1/b) \|v\|^2 + (1/b) (1/S) \sum_s w_s^2 \|p_s\|^2 with v = (1/S) P_i^T w and
    \|v\|^2 <= top_i.
    """
    bound = (1 - 1 / batch) * tops_ + mean_square(rows) / batch
    return bound.max().item()


def longest(rows: Tensor) -> float:
    """Norm of the longest of the rows p_is, samples s of workers i: max_is ||p_is||."""
    return rows.double().square().sum(-1).max().sqrt().item()

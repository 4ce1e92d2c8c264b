r"""Exact moments of linear stochastic recursions on workers whose Hessians differ.

On f_i(x) = \frac12 \sum_j a_{ij} x_j^2 - \sum_j c_{ij} x_j every coordinate j goes by itself, all n
workers' models of it together: y_{t+1} = B_t y_t + \gamma R_t (c_j + \xi_t), \xi white with
variance v, where

    mixing after the step:   B = W (I - \gamma A_j),  R = W   (local SGD: W = J at meetings, else I)
    mixing beside the step:  B = W - \gamma A_j,      R = I   (D-PSGD),

so that m_{t+1} = B m_t + \gamma R c_j and C_{t+1} = B C_t B^T + \gamma^2 v R R^T: linear operators
on vectors and matrices, exact whatever the Hessians. (Textbook: the Lyapunov recursion.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, final

import numpy as np

from theory.arrays import Floats


@final
class LinearMoments(NamedTuple):
    """Mean and covariance of all workers' models, coordinate by coordinate.

    Attributes:
        mean: ``[d, n]``.
        covariance: ``[d, n, n]``; coordinates are uncorrelated.
    """

    mean: Floats
    covariance: Floats


def linear_moments(
    mixings: Iterable[Floats], a: Floats, c: Floats, start: Floats, *, step: float,
    variance: float, beside: bool = False,
) -> LinearMoments:  # fmt: skip
    """LinearMoments after one step for each of ``mixings`` ``[n, n]``.

    ``a`` and ``c`` are ``[n, d]``, ``start`` ``[d]`` is every worker's; ``step`` is the stepsize,
    ``variance`` that of a coordinate's gradient noise; ``beside``: mixing beside the step.

    Raises:
        ValueError: a and c differ in shape, or start has another number of coordinates.
    """
    n, d = a.shape
    if c.shape != a.shape or start.shape != (d,):
        raise ValueError(
            f"c must be [n, d] = [{n}, {d}] and start [{d}], got {list(c.shape)} and "
            f"{list(start.shape)}"
        )
    mean = np.repeat(start[:, None], n, axis=1)
    covariance, eye = np.zeros((d, n, n)), np.eye(n)
    slopes = step * np.einsum("nd,nm->dnm", a, eye)
    for w in mixings:
        carried = w - slopes if beside else w @ (eye - slopes)
        shared = eye if beside else w
        mean = np.einsum("dnm,dm->dn", carried, mean) + step * c.T @ shared.T
        covariance = carried @ covariance @ carried.swapaxes(1, 2)
        covariance += step**2 * variance * shared @ shared.T
    return LinearMoments(mean, covariance)

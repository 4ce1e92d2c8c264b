r"""Stability of gradient tracking, EXTRA, NIDS and D-squared on one curvature: exact limits.

Every worker holds f_i(x) = a ||x - b_i||^2 / 2 and W is symmetric: each eigenvalue l other than 1
evolves alone, by a quadratic in z whose only number of the problem is s = gamma a. Limits follow
from Jury's conditions, of which z = -1 or |z_1 z_2| = 1 is the first to break (derived).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np


def diging_limit(lam: float) -> float:
    """Limit of s for X+ = W X - g Y, Y+ = W Y + G+ - G: (1 + l)^2 / 2."""
    return (1 + lam) ** 2 / 2


def atc_tracking_limit(lam: float) -> float:
    """Limit of s for X+ = W (X - g Y), Y+ = W (Y + G+ - G): (1 + l)^2 / (2 l^2); none at l = 0."""
    return math.inf if lam == 0 else (1 + lam) ** 2 / (2 * lam**2)


def extra_limit(lam: float) -> float:
    """Limit of s for EXTRA: (5 + 3 l)/4, above the 1 + l that its theorem asks."""
    return (5 + 3 * lam) / 4


def nids_limit(lam: float) -> float:
    """Limit of s for NIDS and exact diffusion: 3/2 + 1/(1 + l), above the 2 of the mean, so that
    s < 2 whatever W.
    """
    return 1.5 + 1 / (1 + lam)


MODE_POLYNOMIALS: Mapping[str, Callable[[float, float], tuple[float, float, float]]] = {
    "gradient-tracking": lambda s, lam: (1.0, s - 2 * lam, lam**2 - s),
    "atc-tracking": lambda s, lam: (1.0, s * lam**2 - 2 * lam, lam**2 - s * lam**2),
    "extra": lambda s, lam: (1.0, s - 1 - lam, (1 + lam) / 2 - s),
    "nids": lambda s, lam: (1.0, -(2 - s) * (1 + lam) / 2, (1 - s) * (1 + lam) / 2),
}
"""Coefficients of the quadratic in z of a mode, by row, of s and l."""


def mode_radius(row: str, s: float, lam: float) -> float:
    """Largest root's modulus: the factor a step by which mode ``lam`` grows in the end."""
    return float(np.abs(np.roots(MODE_POLYNOMIALS[row](s, lam))).max())

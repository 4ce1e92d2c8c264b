r"""Convergence of gossip on random quadratics: n_W gives the rate and the longest stepsize.

Vogels, Hendrikx, Jaggi 2022 (arXiv:2206.03093), Section 3.1. x <- W (x - \eta g), g_i = z z^T x_i
with E z z^T = I, whose noise has the mean square c \|x_i\|^2 (``excess``; d + 1 for one standard
normal z in R^d). With C_ij = E <x_i, x_j>, exactly,

    C <- W ((1 - \eta)^2 C + c \eta^2 diag(C)) W^T.

Where workers are alike (rings, tori, hypercubes, complete graphs) E\|x_i\|^2 falls by 1 - r with

    r = 1 - (1 - \eta)^2 - c \eta^2 / n_W(\gamma), \gamma = (1 - \eta)^2/(1 - r),

which is mini-batch SGD on n_W(\gamma) workers. The spectral gap is not in it.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from theory.networks.effective_neighbours import effective_neighbours
from theory.networks.mixing import square

_EDGE = 1e-12  # from decays of 1, which n_W does not take


def _checked(step: float, excess: float) -> None:
    if not 0 < step < 2:
        raise ValueError(f"step must lie in (0, 2), curvatures being 1, got step={step}")
    if not excess > 0:
        raise ValueError(f"excess must be positive, got excess={excess}")


def rate_by_neighbours(w: ArrayLike, step: float, excess: float) -> float:
    r"""r of (1 - r)^t by the equation above; negative where E\|x\|^2 grows.

    W is ``[n, n]``, symmetric.

    Raises:
        MixingError: W is not square.
        ValueError: step outside (0, 2), excess not positive.
    """
    _checked(step, excess)
    left = (1 - step) ** 2
    if left == 0:
        return 1 - excess * step**2 / effective_neighbours(w, 0.0)

    def beyond(kept: float) -> float:
        """(1 - r) less what the equation says of it."""
        return kept - left - excess * step**2 / effective_neighbours(w, left / kept)

    least = left / (1 - _EDGE)
    return 1 - float(
        scipy.optimize.brentq(beyond, least, left + excess * step**2 + 1.0, xtol=1e-15, rtol=1e-13)
    )


def exact_rate(w: ArrayLike, step: float, excess: float) -> float:
    r"""r of any W: 1 less the spectral radius of the map that takes C to the next C.

    Raises:
        MixingError: W is not square.
        ValueError: as :func:`rate_by_neighbours`.
    """
    _checked(step, excess)
    m = square(w)
    n = len(m)
    weights = np.full((n, n), (1 - step) ** 2) + np.diag(np.full(n, excess * step**2))
    return 1 - float(np.abs(np.linalg.eigvals(np.kron(m, m) * weights.ravel())).max())


def norms(w: ArrayLike, step: float, excess: float, steps: int) -> tuple[float, ...]:
    r"""(1/n) \sum_i E\|x_i^t\|^2 for t = 0, ..., ``steps``, all workers from one x of norm 1.

    Raises:
        MixingError: W is not square.
        ValueError: as :func:`rate_by_neighbours`.
    """
    _checked(step, excess)
    m = square(w)
    c = np.ones_like(m)
    found = [1.0]
    for _ in range(steps):
        c = m @ ((1 - step) ** 2 * c + excess * step**2 * np.diag(np.diag(c))) @ m.T
        found.append(float(np.trace(c)) / len(m))
    return tuple(found)


def longest_step(w: ArrayLike, excess: float) -> float:
    r"""The stepsize beyond which E\|x\|^2 grows, by the equation at r = 0.

    Raises:
        MixingError: W is not square.
        ValueError: excess not positive.
    """
    _checked(1.0, excess)

    def grows(step: float) -> float:
        left = (1 - step) ** 2
        return left + excess * step**2 / effective_neighbours(w, left) - 1

    least = 1 / (1 + excess)  # half of what one worker alone takes
    return float(scipy.optimize.brentq(grows, least, 2 - _EDGE, xtol=1e-14))

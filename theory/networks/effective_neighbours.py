r"""Effective neighbours: with how many workers one averages, as far as variance is concerned.

Vogels, Hendrikx, Jaggi 2022 (arXiv:2206.03093), Definition A: of the process
z_{t+1} = W (\sqrt\gamma z_t + \xi_t), \xi_t white with variance 1,

    n_W(\gamma) = \frac{1/(1 - \gamma)}{\lim_t \frac1n \sum_i Var z_{t,i}}
                = \frac{1/(1 - \gamma)}{\frac1n \sum_k \lambda_k^2 / (1 - \gamma \lambda_k^2)},

the latter for symmetric W with eigenvalues \lambda_k. It is 1 without communication, n for W = J,
and of two networks the one with the smaller spectral gap may have the more effective neighbours.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from theory.networks.mixing import square


def effective_neighbours(w: ArrayLike, decay: float) -> float:
    r"""n_W(\gamma) of W ``[n, n]``, by eigenvalues where W is symmetric, else by Lyapunov's
    equation C = W (\gamma C + I) W^T.

    ``decay`` is \gamma: the share of a value's variance that is left after a step.

    Raises:
        MixingError: W is not square.
        ValueError: decay outside [0, 1).
    """
    m = square(w)
    if not 0 <= decay < 1:
        raise ValueError(f"decay must lie in [0, 1), got decay={decay}")
    if np.array_equal(m, m.T):
        squares = np.linalg.eigvalsh(m) ** 2
        variance = float((squares / (1 - decay * squares)).mean())
    else:
        variance = float(
            np.trace(scipy.linalg.solve_discrete_lyapunov(np.sqrt(decay) * m, m @ m.T))
        )
        variance /= len(m)
    return 1 / (1 - decay) / variance


def diffusion_variance(w: ArrayLike, step: float, curvature: float, sigma2: float) -> float:
    r"""\lim_t (1/n) \sum_i Var x_{t,i} of x <- W (x - step (curvature x + noise)), per coordinate.

    It is \frac{step^2 sigma2}{1 - q^2} / n_W(q^2) with q = 1 - step curvature: beside one worker
    alone, the variance is divided by the effective neighbours at decay q^2. ``sigma2`` is the
    variance of a coordinate's noise.

    Raises:
        MixingError: W is not square.
        ValueError: |q| >= 1: the process does not settle.
    """
    left = (1 - step * curvature) ** 2
    if not left < 1:
        raise ValueError(
            f"step must lie in (0, 2/curvature) = (0, {2 / curvature:g}), got step={step}"
        )
    return step**2 * sigma2 / (1 - left) / effective_neighbours(w, left)

r"""Outer momentum over local steps on one curvature: how a round shrinks the error, and its limits.

H gradient steps of stepsize :math:`\gamma` on curvature a take the share
:math:`w = 1 - (1 - \gamma a)^H` of the error away. Nesterov's outer steps :math:`u = \mu u + D`,
:math:`x \leftarrow x - o (D + \mu u)` then map (error, u) by
:math:`((1 - o w (1 + \mu), -o \mu^2), (w, \mu))`; a heavy ball :math:`x \leftarrow x - o u` by
:math:`((1 - o w, -o \mu), (w, \mu))`. (Derived here; the methods are DiLoCo, arXiv:2311.08105, and
SlowMo, arXiv:1910.00643.)
"""

from __future__ import annotations

import numpy as np

from theory.arrays import Floats


def local_share(curvature: float, gamma: float, steps: int) -> float:
    """Share w of the error that ``steps`` local steps take away."""
    return float(1 - (1 - gamma * curvature) ** steps)


def outer_matrix(rate: float, momentum: float, share: float, *, nesterov: bool) -> Floats:
    """Matrix ``[2, 2]`` of a round on (error, u)."""
    if nesterov:
        first = [1 - rate * share * (1 + momentum), -rate * momentum**2]
    else:
        first = [1 - rate * share, -rate * momentum]
    return np.array([first, [share, momentum]])


def outer_radius(rate: float, momentum: float, share: float, *, nesterov: bool) -> float:
    """Factor by which a round shrinks the error in the long run."""
    matrix = outer_matrix(rate, momentum, share, nesterov=nesterov)
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def outer_limit(momentum: float, *, nesterov: bool) -> float:
    r"""Largest o w of a stable outer optimiser: 2 (1 + \mu), by 1 + 2 \mu for Nesterov's."""
    heavy_ball = 2 * (1 + momentum)
    return heavy_ball / (1 + 2 * momentum) if nesterov else heavy_ball

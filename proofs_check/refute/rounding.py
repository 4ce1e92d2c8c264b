r"""What rounding may have added to a measured metric, from the steps, their sums and the spectrum.

A step computes fl(A y + b) from y; y - y^* goes to A (y - y^*), b = (I - A) y^*. With Y a bound of
\|y\| and \|y^*\|, \|A\| at most 1 (steps of which a bound speaks do not grow) and D numbers in the
state, an entry is a sum of D + 1 products and is off by at most (D + 2) u (\|A\| Y + \|b\|)
<= 3 (D + 2) u Y, u = 2^{-53} (Higham 2002, section 3.1). Entries of A are read off steps of vectors
that are as long as b, so they are off by at most 4 u, which moves A y by 4 (D + 2) u Y. A step thus
adds at most 7 (D + 2) u Y to the error, powers of A do not make it grow, and after t steps
\|\delta\| <= 7 t (D + 2) u Y; powers of A by squaring are off by no more.

Powers that grow before they fall, as those of steps with a memory do, are not covered: after 1,000
steps and more moments are computed again in other coordinates, and what is seen there comes off the
metric first (:func:`proofs_check.moments.turned.turned`).

Metrics are means of q(y - y^*), q a quadratic form with largest eigenvalue \lambda: 1 for squared
distances, L/2 for f - f^*, L^2 for squared gradients, 3 for how far workers lie apart and from
their copies: \|x - \bar x\| \le \|x\| and \|x - \hat x\|^2 \le 2 \|x\|^2 + 2 \|\hat x\|^2. Roots of
such means are norms, so the root of the metric is off by at most \sqrt\lambda \|\delta\|.
Covariances are sums of what is not negative:
their errors are relative, and far below what a ratio must exceed 1 by.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from algorithms.problems.base import Problem
from theory.arrays import Floats
from theory.stepsizes import Stepsize
from theory.theorem import Metric

UNIT = 2.0**-53
"""Relative error of one operation."""

_SUMS = 7
_COPIES = 4  # of a worker's model in a state: model, memory, shift, message
_DISTANCES = (Metric.SQUARED_DISTANCE,)
_VALUES = (Metric.SUBOPTIMALITY, Metric.WEIGHTED_SUBOPTIMALITY)
_GRADIENTS = (Metric.AVERAGE_SQUARED_GRADIENT, Metric.MINIMUM_SQUARED_GRADIENT)


def root_lost(metric: Metric, problem: Problem, step: Stepsize, steps: int) -> float:
    """How far the root of a metric may be off after one step by rounding; 0: not known."""
    if problem.x_star is None:
        return 0.0
    c = problem.constants()
    smooth = next((one for one in (c.L, c.L_max) if one is not None), None)
    if metric in _DISTANCES:
        form = 1.0
    elif metric in _VALUES and smooth is not None:
        form = smooth / 2
    elif metric in _GRADIENTS and smooth is not None:
        form = smooth**2
    elif metric.of_agreement:
        form = 3.0
    else:
        return 0.0
    numbers = _COPIES * problem.n * problem.d
    return _SUMS * (numbers + 2) * UNIT * math.sqrt(form) * _size(problem, step, steps)


def _size(problem: Problem, step: Stepsize, steps: int) -> float:
    """Y: start, minimum, and what the longest step from the start adds."""
    assert problem.x_star is not None
    start = problem.start().detach()
    longest = max(step(0), step(max(0, steps - 1)))
    gradient = float(problem.all_gradients(start).norm(dim=-1).max())
    return float(start.norm() + problem.x_star.norm()) + longest * gradient


def without_rounding(metric: Floats, times: NDArray[np.int64], lost: float) -> Floats:
    """The least metric that may have been measured as ``metric``, whose root is off by ``lost`` a
    step."""
    root = np.sqrt(np.maximum(metric, 0.0)) - lost * np.maximum(times, 1)
    least: Floats = np.maximum(root, 0.0) ** 2
    return least

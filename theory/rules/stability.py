r"""Stability of recursions on a quadratic with curvature a: constant delays, elastic averaging.

Products gamma a are pure numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final


def delay_threshold(tau: int) -> float:
    r"""x_{t+1} = x_t - h x_{t-\tau} is stable iff 0 < h < 2 \sin(\pi/(2 (2\tau+1))).

    Raises:
        ValueError: tau < 0.
    """
    if tau < 0:
        raise ValueError(f"tau must be at least 0, got tau={tau}")
    return 2 * math.sin(math.pi / (2 * (2 * tau + 1)))


@final
class Elastic(NamedTuple):
    r"""EASGD on a quadratic: mean and centre (\bar x, c), and the workers' deviations.

    Zhang, Choromanska, LeCun 2015 (arXiv:1412.6651): :math:`x_i^+ = x_i - h x_i - \alpha(x_i - c)`,
    :math:`c^+ = (1-\beta) c + \beta\bar x`, h = eta a.
    """

    h: float
    alpha: float
    beta: float

    @property
    def matrix(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Matrix of the linear map of (xbar, c) that one step is."""
        return ((1 - self.h - self.alpha, self.alpha), (self.beta, 1 - self.beta))

    @property
    def deviation(self) -> float:
        """Factor of x_i - xbar in one step."""
        return 1 - self.h - self.alpha

    @property
    def centre_stable(self) -> bool:
        r"""Jury's criterion: 0 < h\beta, 0 < 4 - 2h - 2\alpha - 2\beta + h\beta, |det| < 1."""
        h, alpha, beta = self
        determinant = (1 - h) * (1 - beta) - alpha
        ends = h * beta > 0 and 4 - 2 * h - 2 * alpha - 2 * beta + h * beta > 0
        return ends and abs(determinant) < 1

    @property
    def stable(self) -> bool:
        """Whether mean, centre and deviations all tend to 0, for more than one worker.

        Where h, alpha and beta are positive, a stable centre implies it.
        """
        return self.centre_stable and abs(self.deviation) < 1

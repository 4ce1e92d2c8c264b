r"""Averaging through a quantiser whose range shrinks: how fast it may, and how wide it must start.

x^{t+1} = x^t + \gamma (W - I) \hat x^t with \hat x^t = \hat x^{t-1} + Q_t(x^t - \hat x^{t-1}), Q_t
uniform with 2K + 1 points from -R_t to R_t, R_t = R_0 \kappa^t (Li, Fu, Xie, Zhang 2011, IEEE TAC
56(2), where \kappa is their \gamma and W = I - L).

Errors of Q_t are at most c R_t, c = 1/(2K), as long as no difference is beyond (1 + c) R_t. Let y
be the disagreement of a coordinate ``[n]``, \rho = 1 - \gamma gap >= max_{i>=2} |1 - \gamma (1 -
\lambda_i)|, \beta = ||I - W||_2 and l = ||I - W||_\infty. Then

    ||y^{t+1}||_2 <= \rho ||y^t||_2 + \gamma \beta \sqrt n c R_t,
    |x^{t+1} - \hat x^t|_\infty <= \gamma \beta ||y^t||_2 + (1 + \gamma l) c R_t,

so ||y^t||_2 <= A R_t and differences in range at the start remain so for ever if

    \rho A + \gamma \beta \sqrt n c <= \kappa A,
    \gamma \beta A + (1 + \gamma l) c <= \kappa (1 + c).

Some A solves both iff (\kappa - p)(\kappa - \rho) >= q beyond both roots, p = (1 + \gamma l) c/(1 +
c), q = \gamma^2 \beta^2 \sqrt n c/(1 + c). In K it is their K >= M_1 - 1/2, M_1 = (\sqrt n \gamma^2
\beta^2/(\kappa - \rho) + 1 + \gamma l)/(2 \kappa) (derived; theirs from memory).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike


@final
@dataclass(frozen=True)
class Zooming:
    """``gap``, ``beta``, ``row_sum`` = l and ``n`` of W; ``gamma`` = consensus step, ``b`` bits.

    Raises:
        ValueError: gamma outside (0, 1], b < 2, or a gap that is not positive.
    """

    gap: float
    beta: float
    row_sum: float
    n: int
    gamma: float
    b: int

    def __post_init__(self) -> None:
        if not (0 < self.gamma <= 1 and self.b >= 2 and self.gap > 0):
            raise ValueError(
                "gamma must lie in (0, 1], b be at least 2 and the gap positive, got "
                f"gamma={self.gamma}, b={self.b}, gap={self.gap}"
            )

    @staticmethod
    def from_matrix(w: ArrayLike, gamma: float, b: int) -> Zooming:
        """Of a symmetric doubly stochastic W ``[n, n]``."""
        matrix = np.asarray(w, dtype=np.float64)
        moved, values = np.eye(len(matrix)) - matrix, np.linalg.eigvalsh(matrix)
        gap = 1 - float(np.abs(values[:-1]).max(initial=0.0))
        row_sum = float(np.abs(moved).sum(1).max())
        return Zooming(gap, 1 - float(values[0]), row_sum, len(matrix), gamma, b)

    @property
    def error(self) -> float:
        """c: half a cell over R_t, 1/(2^b - 2)."""
        return 1 / ((1 << self.b) - 2)

    @property
    def ratio(self) -> float:
        r"""The smallest \kappa with which all stays in range; below 1 for small enough gamma."""
        rho, c = 1 - self.gamma * self.gap, self.error
        p = (1 + self.gamma * self.row_sum) * c / (1 + c)
        q = (self.gamma * self.beta) ** 2 * math.sqrt(self.n) * c / (1 + c)
        return (p + rho + math.sqrt((p - rho) ** 2 + 4 * q)) / 2

    def spread(self, ratio: float) -> float:
        r"""A: the largest ||y^t||_2 / R_t from which \kappa = ``ratio`` works.

        Raises:
            ValueError: ratio is below :attr:`ratio` or not below 1.
        """
        if not self.ratio <= ratio < 1:
            raise ValueError(
                f"ratio must lie in [{self.ratio:.6g}, 1) for gamma={self.gamma}, b={self.b}, got "
                f"ratio={ratio}; more bits or a smaller gamma would do"
            )
        left = ratio * (1 + self.error) - (1 + self.gamma * self.row_sum) * self.error
        return left / (self.gamma * self.beta)

    def radius(self, starts: ArrayLike, ratio: float) -> float:
        r"""R_0 for starts ``[n, d]`` and public copies at 0, [x].

        Raises:
            ValueError: as :meth:`spread`.
        """
        x = np.asarray(starts, dtype=np.float64)
        apart = float(np.linalg.norm(x - x.mean(0), axis=0).max())
        return max(float(np.abs(x).max()) / (1 + self.error), apart / self.spread(ratio))

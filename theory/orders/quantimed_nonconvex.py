r"""QuanTimed-DSGD, non-convex.

Reisizadeh, Taheri, Mokhtari, Hassani, Pedarsani 2019 (arXiv:1907.10595), Theorem 2:
:math:`\alpha = \Theta(T^{-1/6})`, :math:`\varepsilon = \Theta(T^{-1/2})`; gradient and disagreement
fall alike.
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

quantimed_nonconvex = OrderOnly(
    name="quantimed_nonconvex",
    title="QuanTimed-DSGD, non-convex",
    source=Source("Reisizadeh et al.", 2019, "1907.10595", "Theorem 2"),
    confidence=Confidence.MEMORY,
    statement=(
        r"\frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 = O(T^{-1/3}), \quad "
        r"\frac1T \sum_{t<T} \frac1n \sum_i E\|x_{i,t} - \bar x_t\|^2 = O(T^{-1/3})"
    ),
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": Fraction(-1, 3)}),
    assumes="alpha ~ T^(-1/6), epsilon ~ T^(-1/2); Q unbiased with an absolute variance",
    step_power=Fraction(1, 6),  # of alpha; epsilon, the share of others' models, falls too
)

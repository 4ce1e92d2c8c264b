"""Asynchronous consensus ADMM.

Zhang, Kwok 2014 (ICML). The constant grows with tau n/S: S arrivals make an update, and nobody is
later than tau. The penalty is fixed; f is taken at the averages of the workers' own models.
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

async_admm = OrderOnly(
    name="async_admm",
    title="Asynchronous consensus ADMM, convex",
    source=Source("Zhang, Kwok", 2014, "", "ICML, main theorem"),
    confidence=Confidence.ORDER,
    statement=r"E f(\bar x^T) - f^* = O(1/T)",
    metric=Metric.ERGODIC_OBJECTIVE,
    order=Order({"T": -1}),
    step_power=Fraction(0),
    assumes="convex f_i; ergodic averages; a partial barrier of S and a delay of at most tau",
)

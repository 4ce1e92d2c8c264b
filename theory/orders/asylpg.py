"""Asynchronous low-precision proximal SVRG: Yu, Wu, Huang 2019 (arXiv:1805.10111).

G is the gradient mapping of the proximal step.
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

asylpg = OrderOnly(
    name="asylpg",
    title="Asynchronous low-precision proximal SVRG",
    source=Source("Yu, Wu, Huang", 2019, "1805.10111", "convergence analysis"),
    confidence=Confidence.ORDER,
    statement=r"\frac1T\sum_t E\|G(x_t)\|^2 = O(1/T); linear by epochs if strongly convex",
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -1}),
    step_power=Fraction(0),
    assumes="bounded delay, enough bits a coordinate; as without quantisation",
)

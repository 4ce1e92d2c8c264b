"""EF21-P: Gruntkowska, Tyurin, Richtarik 2022 (arXiv:2209.15218).

The rate of gradient descent with L/delta in the place of L; the constants are not known for
certain.
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

ef21_p = OrderOnly(
    name="ef21_p",
    title="EF21-P, non-convex",
    source=Source("Gruntkowska, Tyurin, Richtarik", 2022, "2209.15218", "gradients sent in full"),
    confidence=Confidence.ORDER,
    statement=r"\frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 = O(\frac{L \Delta}{\delta T})",
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -1}),
    assumes="exact gradients; gamma of order delta/L",
    step_power=Fraction(0),
)

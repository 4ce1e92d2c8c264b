"""EF21-BC, non-convex: Fatkhullin et al. 2021 (arXiv:2110.03294), both directions compressed.

A rate of 1/T without noise; the constants are not known for certain.
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

ef21_bc = OrderOnly(
    name="ef21_bc",
    title="EF21-BC, non-convex",
    source=Source("Fatkhullin et al.", 2021, "2110.03294", "both directions compressed"),
    confidence=Confidence.ORDER,
    statement=r"\frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 = O(\frac{1}{\gamma T})",
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -1}),
    assumes="exact gradients; gamma of order delta_up delta_down/L",
    step_power=Fraction(0),
)

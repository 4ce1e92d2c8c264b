r"""Gradient tracking with stochastic gradients: no heterogeneity in the rate.

Pu, Nedic 2018 (arXiv:1805.11454), recalled to order.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

gradient_tracking = OrderOnly(
    name="gradient_tracking",
    title="Gradient tracking, non-convex, any heterogeneity",
    source=Source("Pu, Nedic", 2018, "1805.11454", "recalled"),
    confidence=Confidence.ORDER,
    statement=r"O(\sigma/\sqrt{nT}) \text{ leading, no } \zeta^2",
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF, "n": -HALF}),
    assumes="W doubly stochastic with lambda < 1",
)

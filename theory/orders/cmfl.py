"""Communication mitigated by a relevance filter (CMFL).

Wang, Wang, Li 2019 (ICDCS).
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

cmfl = OrderOnly(
    name="cmfl",
    title="Updates filtered by relevance",
    source=Source("Wang, Wang, Li", 2019, "", "ICDCS, convergence analysis"),
    confidence=Confidence.ORDER,
    statement=r"\frac1T\sum_{t<T} \left(f(x_t) - f^*\right) = O(1/\sqrt T)",
    metric=Metric.AVERAGE_SUBOPTIMALITY,
    order=Order({"T": -HALF}),
    assumes="convex f; bounded gradients and domain; a threshold that falls with time",
    by_horizon="the threshold of relevance, which falls with time",
)

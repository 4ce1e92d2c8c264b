"""Truncated gradient, regret: Langford, Li, Zhang 2009.

The regret over T rounds is O(sqrt T). At a minimum w = 0 of L it bounds the mean of L(w_t) - L(w),
which is what runs show.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

truncated_regret = OrderOnly(
    name="truncated_regret",
    title="Truncated gradient, regret",
    source=Source("Langford, Li, Zhang", 2009, "", "Theorem 3.1, JMLR 10"),
    confidence=Confidence.ORDER,
    statement=r"\frac1T\sum_t (L(w_t) + g\|w_t\|_1) - (L(w) + g\|w\|_1) = O(1/\sqrt T)",
    metric=Metric.AVERAGE_SUBOPTIMALITY,
    order=Order({"T": -HALF}),
    assumes="convex loss, online; it acts on weights, with a regulariser of size g",
)

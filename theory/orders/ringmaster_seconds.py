r"""Ringmaster ASGD: asynchronous SGD that drops gradients of a delay of R and more.

Maranjyan, Tyurin, Richtarik 2025 (arXiv:2501.16168): the seconds are those of Rennala SGD, optimal
for one objective. The steps of the server to get there are derived, see
:mod:`theory.theorems.ringmaster`.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

ringmaster_seconds = OrderOnly(
    name="ringmaster_seconds",
    title="Ringmaster ASGD, non-convex: seconds",
    source=Source("Maranjyan, Tyurin, Richtarik", 2025, "2501.16168", "time complexity, recalled"),
    confidence=Confidence.MEMORY,
    statement=(
        r"E\|\nabla f\|^2 \le \varepsilon \text{ after } O\Bigl(\min_m \Bigl(\frac1m \sum_{i \le "
        r"m} \frac1{\tau_i}\Bigr)^{-1} \Bigl(\frac{L \Delta}{\varepsilon} + \frac{\sigma^2 L "
        r"\Delta}{m \varepsilon^2}\Bigr)\Bigr) \text{ seconds}"
    ),
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF}),
    homogeneous=True,
    by_horizon="R",
    assumes="R = max{1, ceil(sigma^2 / epsilon)}; a worker's time is fixed",
)

"""Sketched-SGD, strongly convex: Ivkin et al. 2019 (arXiv:1903.04488).

Read in the paper; its constants are not stated. Where recovery contracts, ``mem_sgd`` bounds it.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

sketched_sgd = OrderOnly(
    name="sketched_sgd",
    title="Sketched-SGD, strongly convex",
    source=Source("Ivkin et al.", 2019, "1903.04488", "convergence analysis"),
    confidence=Confidence.ORDER,
    statement=(
        r"E f(\hat x) - f^* = O(\frac{\sigma^2}{\mu T} + \frac{d^2G^2L}{k^2\mu^2T^2} + "
        r"\frac{d^3G^3}{k^3\mu T^3})"
    ),
    metric=Metric.WEIGHTED_SUBOPTIMALITY,
    order=Order({"T": -1}),
    inverse_time=True,
    assumes=(
        "a sketch of Theta(k log(d T/p)) cells, which makes recovery contract with delta = k/d"
    ),
    by_horizon="the cells of the sketch, k log(d T/p)",
)

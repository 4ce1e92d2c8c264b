r"""AsGrad: which worker a model goes to is drawn, in place of first come, first served.

Islamov, Safaryan, Alistarh 2023 (arXiv:2310.20452), order only. Where models go to whoever is free,
workers count by their speed and the limit is not the minimum of f; drawn uniformly, or by a new
permutation of all workers every n steps, each counts alike.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

asgrad = OrderOnly(
    name="asgrad",
    title="Asynchronous SGD with assigned workers, non-convex",
    source=Source("Islamov, Safaryan, Alistarh", 2023, "2310.20452", "unified analysis, recalled"),
    confidence=Confidence.ORDER,
    statement=(r"\text{avg } E\|\nabla f(x_t)\|^2 = O(1/\sqrt T) \text{, without a bias by speed}"),
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF}),
    assumes="bounded heterogeneity; delays bounded in the mean",
)

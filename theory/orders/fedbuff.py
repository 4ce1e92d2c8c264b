r"""FedBuff: differences of K local steps, B of which make a step of the server.

Nguyen et al. 2021 (arXiv:2106.06639), order only.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

fedbuff = OrderOnly(
    name="fedbuff",
    title="FedBuff, non-convex",
    source=Source("Nguyen et al.", 2021, "2106.06639", "convergence theorem, recalled"),
    confidence=Confidence.ORDER,
    statement=r"\text{avg } E\|\nabla f(x_t)\|^2 = O(1/\sqrt T)",
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF}),
    homogeneous=True,
    assumes="bounded delays; clients arrive alike often, or share one objective",
)

r"""D-squared, non-convex: no heterogeneity in the rate.

Tang, Lian, Yan, Zhang, Liu 2018 (arXiv:1803.07068), Theorem 2 and Corollary 3: after the first step
no term with :math:`\zeta^2`. Where the mode of small stepsizes is unstable is derived in
:mod:`theory.networks.compressed_gossip`.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

d2 = OrderOnly(
    name="d2",
    title="D-squared, non-convex, any heterogeneity",
    source=Source("Tang et al.", 2018, "1803.07068", "Theorem 2, Corollary 3"),
    confidence=Confidence.ORDER,
    statement=r"O(1/T + \sigma/\sqrt{nT}), \text{ no } \zeta^2",
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF, "n": -HALF}),
    assumes="W symmetric with lambda_n > -1/3 and lambda_2 < 1",
)

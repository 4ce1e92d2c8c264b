r"""DCD-PSGD, non-convex.

Tang, Gan, Zhang, Zhang, Liu 2018 (arXiv:1803.06443), Theorem 1 and Corollary 2.
:func:`theory.networks.compressed_gossip.dcd_margin` is the signal-to-noise condition.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

dcd_psgd = OrderOnly(
    name="dcd_psgd",
    title="DCD-PSGD, non-convex",
    source=Source("Tang et al.", 2018, "1803.06443", "Theorem 1, Corollary 2"),
    confidence=Confidence.ORDER,
    statement=r"O(\sigma/\sqrt{nT} + \zeta^{2/3}/T^{2/3} + 1/T)",
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF, "n": -HALF}),
    assumes="W symmetric; C unbiased with E||C(z) - z||^2 <= alpha^2 ||z||^2 and "
    "(1 - lambda)^2 > 4 mu^2 alpha^2, mu = max_{i>=2} |lambda_i - 1|",
)

"""Asynchronous accelerated SGD.

Meng et al. 2016 (IJCAI): Nesterov's momentum, variance reduction and coordinate sampling.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, OrderOnly

aasgd = OrderOnly(
    name="aasgd",
    title="Asynchronous accelerated SGD, strongly convex",
    source=Source("Meng et al.", 2016, "", "IJCAI, main theorem"),
    confidence=Confidence.ORDER,
    statement=r"E f(x_T) - f^* = O(q^T), q < 1",
    metric=Metric.SUBOPTIMALITY,
    order=None,
    assumes="bounded delay; a finite sum",
)

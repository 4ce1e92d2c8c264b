"""Lazily aggregated gradients (LAG).

Chen, Giannakis, Sun, Yin 2018 (arXiv:1805.09965). As fast as gradient descent in steps; 1/T for
convex and for non-convex f. The condition number enters as kappa/(1 - sqrt(D xi)).
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, OrderOnly

lag = OrderOnly(
    name="lag",
    title="Lazily aggregated gradients, strongly convex",
    source=Source("Chen et al.", 2018, "1805.09965", "main theorem"),
    confidence=Confidence.MEMORY,
    statement=r"f(x_T) - f^* = O(q^T), q < 1",
    metric=Metric.SUBOPTIMALITY,
    order=None,
    assumes="full gradients; sum of the weights xi below 1; a stepsize to fit",
)

"""Lazily aggregated quantised gradients, strongly convex: Sun et al. 2019 (arXiv:1909.07588).

The rate is linear: no power of T.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, OrderOnly

laq = OrderOnly(
    name="laq",
    title="Lazily aggregated quantised gradients, strongly convex",
    source=Source("Sun et al.", 2019, "1909.07588", "convergence analysis"),
    confidence=Confidence.MEMORY,
    statement=r"E f(x_T) - f^* = O(q^T), q < 1",
    metric=Metric.SUBOPTIMALITY,
    order=None,
    assumes="full gradients; constants of the trigger and of the grid small enough",
)

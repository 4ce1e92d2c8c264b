"""Distributed block coordinate descent: Mahajan, Keerthi, Sundararajan 2017 (arXiv:1405.4544).

Lau et al. and Zeng et al. need the Kurdyka-Lojasiewicz property.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, OrderOnly

hybrid_block_descent = OrderOnly(
    name="hybrid_block_descent",
    title="Distributed block coordinate descent",
    source=Source("Mahajan, Keerthi, Sundararajan", 2017, "1405.4544", "convergence analysis"),
    confidence=Confidence.ORDER,
    statement=r"f(x_T) - f^* = O(q^T) for l_1-regularised convex losses",
    metric=Metric.SUBOPTIMALITY,
    order=None,
    assumes=(
        "deterministic blocks, line search; a critical point at O(1/T) for networks (Zeng et al.)"
    ),
)

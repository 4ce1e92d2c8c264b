r"""BEER: compressed gradient tracking, non-convex.

Zhao, Li, Li, Richtarik, Chi 2022 (arXiv:2201.13320): :math:`O(1/((1 - \lambda)^3 \delta T))` for
exact gradients, without a bound on gradients or on differences between workers, where CHOCO-SGD has
:math:`T^{-2/3}`.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

beer = OrderOnly(
    name="beer",
    title="BEER, non-convex, exact gradients, any heterogeneity",
    source=Source("Zhao, Li, Li, Richtarik, Chi", 2022, "2201.13320", "recalled"),
    confidence=Confidence.MEMORY,
    statement=r"O(1/((1 - \lambda)^3 \delta T)), \text{ no bound on gradients, no } \zeta^2",
    metric=None,
    order=None,
    assumes="W symmetric; stepsizes of the order of delta (1 - lambda)^3 / L; no noise",
)

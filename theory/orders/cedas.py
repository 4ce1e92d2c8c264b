r"""CEDAS: compressed exact diffusion with stepsizes that fall.

Huang, Pu 2023 (arXiv:2301.05872), recalled: :math:`O(\sigma^2/(nT))` on smooth strongly convex
functions once T is of the order of :math:`n C^3 / (1 - \lambda_2)^2`, C a constant of the operator.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

cedas = OrderOnly(
    name="cedas",
    title="CEDAS, smooth strongly convex, unbiased operators",
    source=Source("Huang, Pu", 2023, "2301.05872", "abstract; constants not recalled"),
    confidence=Confidence.MEMORY,
    statement=r"O(\sigma^2/(n T)) \text{ once } T = \Omega(n C^3/(1 - \lambda_2)^2)",
    metric=None,
    order=None,
    assumes="W symmetric; stepsizes of the order of 1/t; no bound on gradients or on zeta",
)

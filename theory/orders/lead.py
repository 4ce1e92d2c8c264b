r"""LEAD: linear on strongly convex functions under unbiased compression.

Liu, Li, Wang, Tang, Yan 2020 (arXiv:2007.00232), Theorem 1: for
:math:`c \le 2/((3\omega + 1)\beta)`, :math:`\beta` the largest eigenvalue of I - W, and
:math:`\alpha \le 1/(1 + \omega)`, with further conditions that are not recalled.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

lead = OrderOnly(
    name="lead",
    title="LEAD, smooth strongly convex, exact gradients",
    source=Source("Liu, Li, Wang, Tang, Yan", 2020, "2007.00232", "Theorem 1, recalled"),
    confidence=Confidence.MEMORY,
    statement=r"\text{a factor below 1 a step for } c \le 2/((3\omega + 1)\beta), "
    r"\alpha \le 1/(1 + \omega)",
    metric=None,
    order=None,
    assumes="every f_i smooth and strongly convex, W symmetric, no noise",
)

"""Distributed linearised ADMM for composite consensus.

Aybat, Wang, Lin, Ma 2018 (arXiv:1512.08122). The steps are fixed. Of the two that
fall as 1/k the violation is looked at: the other has no fixed sign on the way.
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

linearised_admm = OrderOnly(
    name="linearised_admm",
    title="Distributed linearised ADMM, composite convex",
    source=Source("Aybat et al.", 2018, "1512.08122", "main theorem"),
    confidence=Confidence.ORDER,
    statement=r"|f(\bar x^k) - f^*| = O(1/k), \text{ violation of consensus } O(1/k)",
    metric=Metric.ERGODIC_DISAGREEMENT,
    order=Order({"T": -1}),
    step_power=Fraction(0),
    assumes="convex composite f_i; ergodic averages; proximal weights above the smoothness",
)

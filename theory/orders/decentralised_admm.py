"""Decentralised ADMM.

Wei, Ozdaglar 2012 (CDC), synchronous, and 2013 (GlobalSIP, arXiv:1307.8254), asynchronous, in
expectation. The penalty is fixed. Of the two that fall as 1/k the disagreement is looked at: the
other has no fixed sign on the way.
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

decentralised_admm = OrderOnly(
    name="decentralised_admm",
    title="Decentralised ADMM, convex",
    source=Source("Wei, Ozdaglar", 2013, "1307.8254", "main theorem"),
    confidence=Confidence.ORDER,
    statement=r"|E f(\bar x^k) - f^*| = O(1/k), E\|A\bar x^k\| = O(1/k)",
    metric=Metric.ERGODIC_DISAGREEMENT,
    order=Order({"T": -1}),
    step_power=Fraction(0),
    assumes="convex f_i; ergodic averages; every edge is active again and again",
)

"""Quantisation refined over iterations: Pu, Zeilinger, Jones 2015 (arXiv:1504.02317).

McGlohon and Patterson have the semi-stochastic form; the rate is that without quantisation.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, OrderOnly

inexact_quantised = OrderOnly(
    name="inexact_quantised",
    title="Quantisation refined over iterations",
    source=Source(
        "Pu, Zeilinger, Jones", 2015, "1504.02317", "Theorems on inexact proximal gradient"
    ),
    confidence=Confidence.ORDER,
    statement=r"f(x_T) - f^* = O(q^T), q < 1",
    metric=Metric.SUBOPTIMALITY,
    order=None,
    assumes="the interval of the quantiser shrinks linearly, with enough bits",
)

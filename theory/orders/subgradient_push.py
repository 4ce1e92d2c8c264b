r"""Stochastic gradient-push over directed graphs that change with time, strongly convex.

Nedic, Olshevsky 2016 (IEEE TAC; arXiv:1406.2075). The stepsize falls as 1/t; the constants contain
:math:`1/(\delta (1-\lambda))` of the push-sum matrices, which may be as bad as :math:`n^{-nB}`. For
convex f and steps of :math:`1/\sqrt t` the earlier paper (Nedic, Olshevsky 2015, arXiv:1303.2255)
has :math:`O(\ln t/\sqrt t)`. Order here is that in T without the logarithm.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

subgradient_push = OrderOnly(
    name="subgradient_push",
    title="Stochastic gradient-push, strongly convex, time-varying directed graphs",
    source=Source("Nedic, Olshevsky", 2016, "1406.2075", "main theorem"),
    confidence=Confidence.ORDER,
    statement=(
        r"E f(\hat z_i(T)) - f^* = O(\ln T / T), \quad "
        r"\hat z_i(T) = \frac{\sum_{t} (t-1) z_i(t)}{T(T-1)/2}"
    ),
    metric=Metric.WEIGHTED_SUBOPTIMALITY,
    order=Order({"T": -1}),
    inverse_time=True,
    assumes=(
        "strongly convex f_i with bounded subgradients, links whose union over every B steps is "
        "strongly connected, gamma_t = p/t with p large enough"
    ),
)

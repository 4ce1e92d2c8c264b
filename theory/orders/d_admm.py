"""Distributed ADMM over a coloured graph (D-ADMM).

Mota, Xavier, Aguiar, Pueschel 2013 (arXiv:1202.2805). Convergence is proved, without a rate: for
bipartite graphs and convex f_i, for more colours and strongly convex f_i. The method is
synchronous.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

d_admm = OrderOnly(
    name="d_admm",
    title="Distributed ADMM over a coloured graph, convex",
    source=Source("Mota et al.", 2013, "1202.2805", "main theorem"),
    confidence=Confidence.ORDER,
    statement=r"x_i^k \to x^* \text{ for every } i",
    metric=None,
    order=None,
    assumes="a proper colouring; two colours and convex f_i, or strongly convex f_i",
)

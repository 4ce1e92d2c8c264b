"""Asynchronous randomised ADMM.

Iutzeler, Bianchi, Ciblat, Hachem 2013 (arXiv:1303.2837), by Gauss-Seidel steps of a random
monotone operator. Almost sure convergence, no rate.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

random_admm = OrderOnly(
    name="random_admm",
    title="Asynchronous randomised ADMM, convex",
    source=Source("Iutzeler et al.", 2013, "1303.2837", "main theorem"),
    confidence=Confidence.ORDER,
    statement=r"x_i^k \to x^* \text{ almost surely}",
    metric=None,
    order=None,
    assumes=(
        "convex f_i; every group of workers is drawn with positive probability, independently"
    ),
)

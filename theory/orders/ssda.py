"""Nesterov's method on the dual of a smooth strongly convex consensus problem.

Scaman, Bach, Bubeck, Lee, Massoulie 2017 (arXiv:1702.08704), Theorem 3. One local minimisation and
one round of messages a step; explicit but loose constants are derived in
``theory.networks.optimal_rounds``.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

ssda = OrderOnly(
    name="ssda",
    title="SSDA, smooth strongly convex",
    source=Source("Scaman et al.", 2017, "1702.08704", "Theorem 3"),
    confidence=Confidence.ORDER,
    statement=r"(1 + \tau) \sqrt{\kappa_l/\gamma} \ln(1/\epsilon) \text{ time to } \epsilon",
    metric=None,
    order=None,
    assumes="every f_i smooth and strongly convex; gossip matrix symmetric, kernel the constants",
)

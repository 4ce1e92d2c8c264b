r"""EXTRA: linear on strongly convex functions without noise.

Shi, Ling, Wu, Yin 2014 (arXiv:1404.6264): for :math:`\gamma` below a limit that falls with
:math:`\lambda_n`, smaller than the exact one on one curvature
(:mod:`theory.networks.tracking_limits`).
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

extra = OrderOnly(
    name="extra",
    title="EXTRA, smooth strongly convex, exact gradients",
    source=Source("Shi, Ling, Wu, Yin", 2014, "1404.6264", "recalled"),
    confidence=Confidence.ORDER,
    statement=r"\text{a factor below 1 a step for } \gamma L \text{ of order } 1 + \lambda_n",
    metric=None,
    order=None,
    assumes="f restricted strongly convex, W symmetric, no noise",
)

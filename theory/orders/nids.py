r"""NIDS: linear on strongly convex functions, at the stepsizes of gradient descent.

Li, Shi, Yan 2017 (arXiv:1704.07807): the factors of the data and of the network stand side by side.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

nids = OrderOnly(
    name="nids",
    title="NIDS, smooth strongly convex, exact gradients",
    source=Source("Li, Shi, Yan", 2017, "1704.07807", "recalled"),
    confidence=Confidence.MEMORY,
    statement=r"\text{a factor of order } \max\{1 - \mu/L, (1 + \lambda_2)/2\} \text{ a step}",
    metric=None,
    order=None,
    assumes="every f_i smooth and strongly convex, W symmetric, no noise",
)

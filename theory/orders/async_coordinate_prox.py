"""Asynchronous proximal gradient with sparse uplink.

Grishchenko, Iutzeler, Malick, Amini 2018 (arXiv:1812.03871). The rate counts epochs, in which
every worker has answered twice, and does not depend on the delays. The support of the solution is
found in finite time.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, OrderOnly

async_coordinate_prox = OrderOnly(
    name="async_coordinate_prox",
    title="Asynchronous proximal gradient with sparse uplink, strongly convex",
    source=Source("Grishchenko et al.", 2018, "1812.03871", "main theorem"),
    confidence=Confidence.ORDER,
    statement=r"E\|x_k - x^*\|^2 = O(q^k) \text{ after } k \text{ epochs}, q < 1",
    metric=Metric.SQUARED_DISTANCE,
    order=None,
    assumes="strong convexity; a stepsize below 2/(mu + L); coordinates sampled alike",
)

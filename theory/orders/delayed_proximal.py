"""Delayed block proximal gradient.

Li, Andersen, Smola, Yu 2014 (NIPS). M_var bounds the smoothness within a block, M_cov across
blocks. Stationarity, no rate.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

delayed_proximal = OrderOnly(
    name="delayed_proximal",
    title="Delayed block proximal gradient, non-convex",
    source=Source("Li et al.", 2014, "", "NIPS, main theorem"),
    confidence=Confidence.MEMORY,
    statement=(
        r"\gamma_t < 1/(M_{var} + \tau M_{cov}) \Rightarrow x_t \text{ converges to a "
        r"stationary point}"
    ),
    metric=None,
    order=None,
    assumes="delays at most tau blocks; filters that become exact",
)

"""Adaptive communication: error against wall-clock time.

Wang, Joshi 2018 (arXiv:1810.08313). Y seconds for a local step, D seconds for an averaging, S
seconds in all: the bound of local SGD with K = S/(Y + D/H) steps. The period that is best for it
is ``theory.seconds.periods.best_period``.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

adacomm = OrderOnly(
    name="adacomm",
    title="Adaptive communication, non-convex, in seconds",
    source=Source("Wang, Joshi", 2018, "1810.08313", "main theorem"),
    confidence=Confidence.MEMORY,
    statement=(
        r"\frac{2\Delta}{\gamma S}\left(Y + \frac{D}{H}\right) + \frac{\gamma L\sigma^2}{n} + "
        r"\gamma^2L^2\sigma^2(H-1)"
    ),
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF, "n": -HALF}),
    assumes="one objective for all workers; gamma L + gamma^2 L^2 H (H - 1) <= 1",
    homogeneous=True,
)

"""EControl, non-convex: Gao, Islamov, Stich 2023 (arXiv:2311.05645).

O(sigma^2/(n eps^2) + sigma/(delta^2 eps^{3/2}) + 1/(delta eps)) steps to a mean squared gradient
eps, as recalled: a linear speed-up without a bound on heterogeneity.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

econtrol = OrderOnly(
    name="econtrol",
    title="EControl, non-convex",
    source=Source("Gao, Islamov, Stich", 2023, "2311.05645", "non-convex case"),
    confidence=Confidence.MEMORY,
    statement=(
        r"\frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 = O(\frac{\sigma}{\sqrt{nT}} + "
        r"\frac{\sigma^{2/3}}{(\delta^2 T)^{2/3}} + \frac{1}{\delta T})"
    ),
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF, "n": -HALF}),
    assumes="eta of order delta; no bound on zeta2",
)

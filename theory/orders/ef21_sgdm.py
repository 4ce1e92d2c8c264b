"""EF21 with momentum, non-convex: Fatkhullin, Tyurin, Richtarik 2023 (arXiv:2305.15155).

For gamma of order min(delta/L_rms, eta/L) the mean squared gradient is O(Psi_0/(gamma T) + eta^3
sigma^2/delta^2 + eta^2 sigma^2/delta + eta sigma^2/n); its constants are not known for certain.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

ef21_sgdm = OrderOnly(
    name="ef21_sgdm",
    title="EF21-SGDM, non-convex",
    source=Source("Fatkhullin, Tyurin, Richtarik", 2023, "2305.15155", "momentum, tuned"),
    confidence=Confidence.ORDER,
    statement=(
        r"\frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 = O(\frac{\sigma}{\sqrt{nT}} + "
        r"\frac{\sigma^{2/3}}{(\sqrt\delta T)^{2/3}} + "
        r"\frac{\sqrt\sigma}{(\delta^{2/3} T)^{3/4}} + \frac{1}{\delta T})"
    ),
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF, "n": -HALF}),
    assumes="the weight eta of a new gradient tuned to the number of steps; no bound on zeta2",
    by_horizon="the weight eta of a new gradient",
)

r"""Adaptive server optimisers, non-convex: Reddi et al. 2020 (arXiv:2003.00295).

The best of R rounds of K local steps, without momentum at the server (:math:`\beta_1 = 0`), for
:math:`\eta_l` of order :math:`1/(K L \sqrt R)`, :math:`\eta_g` of order :math:`\sqrt{Kn}` and
:math:`\tau` of order G/L, G a bound on entries of gradients; only :math:`\eta_l` follows the number
of steps. FedYogi is said to be as FedAdam. T counts local steps, :math:`T = R K`.
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

adaptive_servers = OrderOnly(
    name="adaptive_servers",
    title="FedAdam, FedYogi and FedAdagrad, non-convex, beta_1 = 0",
    source=Source("Reddi et al.", 2020, "2003.00295", "Corollaries 1 and 2"),
    confidence=Confidence.ORDER,
    statement=r"O(1/\sqrt{n K R})",
    metric=Metric.MINIMUM_SQUARED_GRADIENT,
    order=Order({"T": -HALF, "n": -HALF}),
    step_workers=Fraction(0),  # a server's rate of the order of sqrt(n) beside them
    assumes="beta_1 = 0, entries of gradients bounded by G, bounded heterogeneity, eta_g of order "
    "sqrt(K n), tau of order G/L, a large number of rounds",
)

r"""SCAFFOLD, non-convex: no heterogeneity in the rate.

Karimireddy et al. 2019 (arXiv:1910.06378), Theorem III. Constants as printed, from memory:
:math:`\eta \le (S/n)^{2/3}/(24 K \eta_g L)`. S of n workers take part in a round of K local steps,
:math:`F = f(x_0) - f^*`; T counts local steps, :math:`T = R K`. With :math:`\eta_g` of order
:math:`\sqrt S` the first term is of order :math:`1/\sqrt{ST}`; at :math:`\eta_g = 1` its factor
:math:`(1 + S)/S` stays above 1, so that nothing falls with the number of workers.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

scaffold = OrderOnly(
    name="scaffold",
    title="SCAFFOLD, non-convex, any heterogeneity",
    source=Source("Karimireddy et al.", 2019, "1910.06378", "Theorem III"),
    confidence=Confidence.MEMORY,
    statement=r"O(\sigma \sqrt{F (1 + S/\eta_g^2)/(R K S)} + L F (n/S)^{2/3}/R), "
    r"\text{ no } \zeta^2",
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF}),
    assumes="S workers a round; a linear speed-up needs eta_g of order sqrt(S) besides",
)

r"""SCAFFOLD, strongly convex: no heterogeneity in the rate.

Karimireddy et al. 2019 (arXiv:1910.06378), Theorem III. Constants as printed, from memory:
:math:`\eta \le \min(1/(81 L K \eta_g), S/(15 \mu n K \eta_g))`. S of n workers take part in a round
of K local steps, T counts local steps, :math:`T = R K`, and :math:`D_0 = \|x_0 - x^*\|^2 +
\frac{1}{2 n L^2} \sum_i \|c_{i,0} - \nabla f_i(x^*)\|^2` with the error of the controls at the
start. The noise falls with S only with :math:`\eta_g` of order :math:`\sqrt S`.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, OrderOnly

scaffold_strongly_convex = OrderOnly(
    name="scaffold_strongly_convex",
    title="SCAFFOLD, strongly convex, any heterogeneity",
    source=Source("Karimireddy et al.", 2019, "1910.06378", "Theorem III"),
    confidence=Confidence.MEMORY,
    statement=r"\tilde O(\sigma^2 (1 + S/\eta_g^2)/(\mu R K S) + (n \mu/S) D_0 "
    r"e^{-\min(S/(30 n), \mu/(162 L)) R}), \text{ no } \zeta^2",
    metric=Metric.SUBOPTIMALITY,
    order=None,
    assumes="S workers a round; a linear speed-up needs eta_g of order sqrt(S) besides",
)

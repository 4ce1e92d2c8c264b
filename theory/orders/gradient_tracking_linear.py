r"""DIGing: linear on strongly convex functions without noise, for tiny stepsizes.

Nedic, Olshevsky, Shi 2016 (arXiv:1607.03218), Theorem 3.14: R-linear with the larger of
:math:`\sqrt{1 - \gamma\mu/1.5}` and :math:`\sqrt{2 \gamma L (1 + 4 \sqrt{n \kappa})} + \lambda`.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

gradient_tracking_linear = OrderOnly(
    name="gradient_tracking_linear",
    title="DIGing, smooth strongly convex, exact gradients",
    source=Source("Nedic, Olshevsky, Shi", 2016, "1607.03218", "Theorem 3.14"),
    confidence=Confidence.MEMORY,
    statement=r"\max\{\sqrt{1 - \gamma\mu/1.5}, "
    r"\sqrt{2 \gamma L (1 + 4 \sqrt{n} \sqrt{\kappa})} + \lambda\} \text{ a step}",
    metric=None,
    order=None,
    assumes="every f_i smooth and strongly convex, no noise",
)

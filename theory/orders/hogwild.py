"""Lock-free SGD with sparse supports (Hogwild!).

Niu, Recht, Re, Wright 2011 (arXiv:1106.5730). Omega is the largest support of a component, Delta
and rho the largest share of components that touch one coordinate, or one component's.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

hogwild = OrderOnly(
    name="hogwild",
    title="Lock-free SGD, strongly convex and sparse",
    source=Source("Niu et al.", 2011, "1106.5730", "main theorem"),
    confidence=Confidence.MEMORY,
    statement=(
        r"E f(x_T) - f^* \le \varepsilon \text{ after } O\left((1 + 6\tau\rho + "
        r"6\tau^2\Omega\sqrt{\Delta})\,\log(1/\varepsilon)/\varepsilon\right)"
    ),
    metric=Metric.SUBOPTIMALITY,
    order=Order({"T": -1}),
    inverse_time=True,
    assumes=(
        "bounded gradients; reads and writes of single coordinates are atomic; tau = "
        "o(n^{1/4}) for speedup"
    ),
)

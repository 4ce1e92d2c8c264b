"""Top-k with error feedback under an assumption on sums.

Alistarh et al. 2018 (arXiv:1809.10505).

The cost grows as K shrinks against d.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, OrderOnly

top_k_analytic = OrderOnly(
    name="top_k_analytic",
    title="Top-k with error feedback under an assumption on sums",
    source=Source("Alistarh et al.", 2018, "1809.10505", "convergence analysis"),
    confidence=Confidence.ORDER,
    statement=r"\frac1{\sum\alpha_t}\sum_t \alpha_t E\|\nabla f(x_t)\|^2 \to 0",
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=None,
    assumes="||TopK(mean) - mean of TopK|| <= xi ||alpha g||; sum of alpha_t^2 finite",
)

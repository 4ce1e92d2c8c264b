"""Layer-wise adaptive moments (LAMB) with large batches.

You et al. 2019 (arXiv:1904.00962), batch T, beta_1 = 0. With beta_2 > 0 a factor sqrt(G^2 d/(h (1
- beta_2))) enters. The order is that of the root, a mean of norms; all norms are alike up to
constants.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

lamb_large_batch = OrderOnly(
    name="lamb_large_batch",
    title="Layer-wise adaptive moments, batches of T",
    source=Source("You et al.", 2019, "1904.00962", "convergence analysis"),
    confidence=Confidence.MEMORY,
    statement=(
        r"\beta_2 = 0 \Rightarrow \left(E\|\nabla f(x)\|_1\right)^2 = O\left(\frac{\Delta\,\bar "
        r"L\,d}{T} + \frac{\|\sigma\|_1^2}{T}\right)"
    ),
    metric=Metric.AVERAGE_GRADIENT_NORM,
    order=Order({"T": -HALF}),
    assumes=(
        "the batch equals the number of steps; no first moment; layers' norms within fixed bounds"
    ),
    growing_batch=True,
)

"""Layer-wise adaptive rate scaling (LARS) with large batches.

You et al. 2019 (arXiv:1904.00962), for batches as large as the number T of steps; h layers. The
paper that proposed LARS (You, Gitman, Ginsburg 2017, arXiv:1708.03888) gives no theorem. The
order is that of the root, a mean of norms; all norms are alike up to constants.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

lars_large_batch = OrderOnly(
    name="lars_large_batch",
    title="Layer-wise adaptive rates, batches of T",
    source=Source("You et al.", 2019, "1904.00962", "convergence analysis"),
    confidence=Confidence.MEMORY,
    statement=(
        r"\left(E\frac1{\sqrt h}\sum_{l\le h}\|\nabla_l f(x)\|\right)^2 = "
        r"O\left(\frac{\Delta\,\bar L}{T} + \frac{\|\sigma\|_1^2}{Th}\right)"
    ),
    metric=Metric.AVERAGE_GRADIENT_NORM,
    order=Order({"T": -HALF}),
    assumes=(
        "the batch equals the number of steps; no momentum; layers' norms within fixed bounds"
    ),
    growing_batch=True,
)

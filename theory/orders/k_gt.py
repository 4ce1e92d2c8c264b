r"""K-GT: rounds of local steps with gradient tracking, non-convex.

Liu, Lin, Koloskova, Stich 2023 (arXiv:2301.01313), recalled: rounds to an accuracy of
:math:`\epsilon`, p the gap of W.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

k_gt = OrderOnly(
    name="k_gt",
    title="K-GT, non-convex, any heterogeneity",
    source=Source("Liu, Lin, Koloskova, Stich", 2023, "2301.01313", "recalled"),
    confidence=Confidence.MEMORY,
    statement=r"O(\frac{\sigma^2}{n K \epsilon^2} + \frac{\sigma}{p^2 \sqrt{K} \epsilon^{3/2}}"
    r" + \frac{1}{p^2 \epsilon}) \text{ rounds to } \epsilon",
    metric=None,
    order=None,
    assumes="stepsizes of the order of p^2 / (K L)",
)

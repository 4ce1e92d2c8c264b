r"""MoTEF: compressed gradient tracking under noise, with a linear speed-up.

Islamov, Gao, Stich 2024 (arXiv:2405.20114), recalled to order.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

motef = OrderOnly(
    name="motef",
    title="MoTEF, non-convex, any heterogeneity",
    source=Source("Islamov, Gao, Stich", 2024, "2405.20114", "recalled"),
    confidence=Confidence.ORDER,
    statement=r"O(\sigma/\sqrt{nT}) \text{ leading, no } \zeta^2",
    metric=None,
    order=None,
    assumes="momentum and stepsizes that follow the number of steps",
)

r"""RelaySGD: no heterogeneity in the rate, and the length of the tree in the place of its gap.

Vogels, He, Koloskova, Lin, Karimireddy, Stich, Jaggi 2021 (arXiv:2110.04175), recalled.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

relay_sgd = OrderOnly(
    name="relay_sgd",
    title="RelaySGD, any heterogeneity",
    source=Source("Vogels et al.", 2021, "2110.04175", "recalled"),
    confidence=Confidence.ORDER,
    statement=r"O(\sigma/\sqrt{nT}) \text{ leading, no } \zeta^2",
    metric=None,
    order=None,
    assumes="the links form a tree",
)

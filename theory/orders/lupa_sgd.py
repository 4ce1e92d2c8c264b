"""Local updates with periodic averaging (LUPA-SGD) under the Polyak-Lojasiewicz inequality.

Haddadpour, Kamani, Mahdavi, Cadambe 2019 (arXiv:1910.13598).

Rounds: (n T)^{1/3}; periods may also grow along the run.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, Order, OrderOnly

lupa_sgd = OrderOnly(
    name="lupa_sgd",
    title="Local updates with periodic averaging, Polyak-Lojasiewicz",
    source=Source("Haddadpour et al.", 2019, "1910.13598", "main theorem"),
    confidence=Confidence.ORDER,
    statement=r"H = O(T^{2/3}/n^{1/3}) \Rightarrow E f(\bar x_T) - f^* = O(1/(nT))",
    metric=Metric.SUBOPTIMALITY,
    order=Order({"T": -1, "n": -1}),
    assumes=(
        "one objective for all workers; the Polyak-Lojasiewicz inequality; stepsizes of the "
        "order 1/(mu t)"
    ),
    homogeneous=True,
)

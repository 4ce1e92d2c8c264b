r"""Rennala SGD: B gradients at the current model a step, late ones dropped.

Tyurin, Richtarik 2023 (arXiv:2305.12387): :math:`\gamma = \min\{1/L, \varepsilon B / (2 L
\sigma^2)\}` with :math:`B = \max\{1, \lceil \sigma^2/\varepsilon \rceil\}` needs :math:`24 L
\Delta/\varepsilon` steps of the server (constants recalled). Worker i takes :math:`\tau_i` seconds
a gradient, :math:`\tau_1 \le \tau_2 \le \dots`; the seconds below are optimal up to a constant
among all methods of one objective, and workers that are too slow are not in them.
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

rennala = OrderOnly(
    name="rennala",
    title="Rennala SGD, non-convex: seconds",
    source=Source("Tyurin, Richtarik", 2023, "2305.12387", "Theorems 7.4 and 7.5, recalled"),
    confidence=Confidence.MEMORY,
    statement=(
        r"E\|\nabla f\|^2 \le \varepsilon \text{ after } O\Bigl(\min_m \Bigl(\frac1m \sum_{i \le "
        r"m} \frac1{\tau_i}\Bigr)^{-1} \Bigl(\frac{L \Delta}{\varepsilon} + \frac{\sigma^2 L "
        r"\Delta}{m \varepsilon^2}\Bigr)\Bigr) \text{ seconds}"
    ),
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF}),
    homogeneous=True,
    step_power=Fraction(0),
    by_horizon="B",
    assumes="unbiased gradients of bounded variance; a worker's time is fixed",
)

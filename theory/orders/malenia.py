r"""Malenia SGD: a bag of gradients for every worker at the current model.

Tyurin, Richtarik 2023 (arXiv:2305.12387): the server steps once the harmonic mean of the bags'
counts is at least S/n. All workers must be heard, so the slowest is in the time, but the noise
falls with the mean of the times (order recalled).
"""

from __future__ import annotations

from fractions import Fraction

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

malenia = OrderOnly(
    name="malenia",
    title="Malenia SGD, non-convex, different objectives: seconds",
    source=Source("Tyurin, Richtarik", 2023, "2305.12387", "heterogeneous case, recalled"),
    confidence=Confidence.ORDER,
    statement=(
        r"E\|\nabla f\|^2 \le \varepsilon \text{ after } O\Bigl(\tau_n \frac{L \Delta}{\varepsilon}"
        r" + \Bigl(\frac1n \sum_i \tau_i\Bigr) \frac{\sigma^2 L \Delta}{n \varepsilon^2}\Bigr) "
        r"\text{ seconds}"
    ),
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF}),
    step_power=Fraction(0),
    by_horizon="S",
    assumes="unbiased gradients of bounded variance; a worker's time is fixed",
)

"""Error-compensated quantised SGD on quadratics: Wu et al. 2018 (arXiv:1806.08054).

It compares the weight of past errors in two bounds and states no power of T.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import Metric, OrderOnly

ecq_sgd = OrderOnly(
    name="ecq_sgd",
    title="Error-compensated quantised SGD on quadratics",
    source=Source("Wu et al.", 2018, "1806.08054", "convergence analysis"),
    confidence=Confidence.ORDER,
    statement=(
        r"E\|x_T - x^*\|^2 within a bound whose noise of quantisation is damped by \alpha,"
        r" \beta"
    ),
    metric=Metric.SQUARED_DISTANCE,
    order=None,
    assumes="a quadratic objective, unbiased Q, a condition on alpha, beta and the spectrum",
)

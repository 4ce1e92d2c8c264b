r"""Asynchronous SGD whose stepsize falls with the delay of the gradient.

Koloskova, Stich, Jaggi 2022 (arXiv:2206.08177) take :math:`\gamma_t = \gamma` up to a delay of n
and :math:`\min(\gamma, 1/(4 L d_t))` above; Mishchenko, Bach, Even, Woodworth 2022
(arXiv:2206.07638) come to the same rate. No largest delay is in it: with a constant step n becomes
:math:`\sqrt{d_{max} n}`.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

delay_adaptive = OrderOnly(
    name="delay_adaptive",
    title="Delay-adaptive asynchronous SGD, non-convex",
    source=Source(
        "Koloskova, Stich, Jaggi", 2022, "2206.08177", "main theorems; constants recalled"
    ),
    confidence=Confidence.ORDER,
    statement=(
        r"\text{avg } E\|\nabla f(x_t)\|^2 = O\bigl(\sqrt{L \Delta \sigma^2 / T} + n L \Delta / T"
        r"\bigr)"
    ),
    metric=Metric.AVERAGE_SQUARED_GRADIENT,
    order=Order({"T": -HALF}),
    homogeneous=True,
    assumes="the mean over models weighs each by the stepsize of its gradient",
)

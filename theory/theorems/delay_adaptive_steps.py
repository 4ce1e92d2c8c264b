r"""Delay-adaptive asynchronous SGD: stepsizes that fall with the delay, and no largest delay.

The setting of Koloskova, Stich, Jaggi 2022 (arXiv:2206.08177), with constants derived here. n
workers of one objective, one gradient a step of the server, :math:`x_{t+1} = x_t - \gamma_t
g_t(x_{t-\tau_t})` with :math:`\gamma_t = \gamma` up to a delay of n and :math:`\min(\gamma, 1/(4 L
\tau_t))` above; compute times do not depend on what was drawn.

.. math::
   :label: delay_adaptive_steps

   \gamma \le \frac{1}{8 n L} \Rightarrow \min_{t<T} E\|\nabla f(x_t)\|^2 \le \frac{4\Delta}{\gamma
   T} + \frac54 \gamma L \sigma^2.

Proof: a step lowers f by :math:`\frac{\gamma_t}2 (\|\nabla f(x_t)\|^2 + \|\nabla f(\hat x_t)\|^2 -
L^2 \|x_t - \hat x_t\|^2)` up to :math:`\frac L2 \gamma_t^2 (\|\nabla f(\hat x_t)\|^2 + \sigma^2)`,
:math:`\hat x_t = x_{t-\tau_t}`. What was missed is :math:`E\|x_t - \hat x_t\|^2 \le 2 \tau_t
\sum_s \gamma_s^2 E\|\nabla f(\hat x_s)\|^2 + 2 \sigma^2 \sum_s \gamma_s^2` over the last
:math:`\tau_t` steps s, and :math:`\gamma_t \tau_t \le 1/(4L)`. While a step is made at most n - 1
gradients are under way, so that each s is in as many of these sums: the gradients at :math:`\hat
x_s` pay for themselves (:math:`\frac12 - \frac1{16} - \frac1{32} \ge 0`), and :math:`\sum_t
\gamma_t E\|\nabla f(x_t)\|^2 \le 2 \Delta + \frac54 L \sigma^2 \gamma \sum_t \gamma_t`. For the
same reason the delays of T steps add up to (n - 1) T at most: less than half of them are 2 n or
more, and the others have :math:`\gamma_t = \gamma`. The model is one that is drawn with weights
:math:`\gamma_t`; the least is no larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Metric, Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.families import Descent


@final
@dataclass(frozen=True)
class DelayAdaptiveSteps(Descent):
    """See the file's docstring for the statement and its derivation."""

    name = "delay_adaptive_steps"
    title = "Delay-adaptive asynchronous SGD, non-convex, unbounded delays"
    source = Source(
        "Koloskova, Stich, Jaggi", 2022, "2206.08177", "setting and order; constants derived here"
    )
    confidence = Confidence.DERIVED
    metric = Metric.MINIMUM_SQUARED_GRADIENT
    needs = ("n", "L_max", "sigma2", "zeta2", "initial_gap")
    order = Order({"T": -HALF})
    formula = "1/(8 n L)"
    tight = False
    example = Constants(n=4, L_max=2.0, sigma2=5.0, zeta2=0.0, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (one_objective(c),)

    def limit(self, c: Constants) -> float:
        return 1 / (8 * c.need("n") * c.need("L_max"))

    def balance(self, c: Constants) -> tuple[float, float]:
        return 16 * c.need("initial_gap"), 5 * c.need("L_max") * c.need("sigma2")

    def start(self, c: Constants, gamma: float) -> float:
        return 4 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        return (5 * gamma * c.need("L_max") * c.need("sigma2") / 4,)


delay_adaptive_steps = DelayAdaptiveSteps()

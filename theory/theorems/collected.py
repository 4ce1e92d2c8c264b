r"""Descents of a server that steps once it has collected a batch at its model; T counts arrivals.

Each gradient that counts is of the model that the server has, so that step k is one of mini-batch
SGD at x_k with noise of at most :math:`\sigma^2/S`, S = ``collected``: S gradients at least make
it. Whoever arrives with a gradient of an older model is given the new one. The server keeps a model
for at least S arrivals and at most C = ``held``, whatever was drawn, so that T arrivals see at most
:math:`1 + T/S` models, each for at most C of them:

.. math::

   \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac CT \sum_{k \le T/S} E\|\nabla f(x_k)\|^2 \le
   \frac CT \Bigl(\frac{2\Delta}\gamma + \Bigl(1 + \frac TS\Bigr) \frac{\gamma L \sigma^2}S\Bigr).

The second step is the sum of Bottou, Curtis, Nocedal 2018, Theorem 4.8
(:mod:`theory.theorems.bsp_nonconvex`).
"""

from __future__ import annotations

from theory.claims import Confidence
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, at_least
from theory.theorems.families import Descent


class Collected(Descent):
    """C (2 Delta/gamma + gamma L sigma2/S)/T + C gamma L sigma2/S^2, gamma <= 1/L; T arrivals."""

    confidence = Confidence.DERIVED
    order = Order({"T": -HALF, "held": 1, "collected": -1})
    formula = "1/L"
    tight = False

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (at_least("held", c.need("held"), c.need("collected"), "collected"),)

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L")

    def noise(self, c: Constants, gamma: float) -> float:
        """gamma L sigma2/S, what the noise of a step adds to the sum [(f / x)^2]."""
        return gamma * c.need("L") * c.need("sigma2") / c.need("collected")

    def balance(self, c: Constants) -> tuple[float, float]:
        signal = 2 * c.need("initial_gap") * c.need("collected") ** 2
        return signal, c.need("L") * c.need("sigma2")

    def start(self, c: Constants, gamma: float) -> float:
        first = 2 * c.need("initial_gap") / gamma + self.noise(c, gamma)
        return c.need("held") * first

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        return (c.need("held") * self.noise(c, gamma) / c.need("collected"),)

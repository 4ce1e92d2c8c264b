r"""SGD with error feedback on the n workers and on the server.

The update of Zheng, Huang, Kwok 2019 (arXiv:1905.10936) without momentum, at a constant stepsize;
the bound is derived here. Worker: :math:`p_i = \gamma g_i + e_i`, sends :math:`C_1(p_i)`,
:math:`e_i^+ = p_i - C_1(p_i)`. Server: :math:`q = \frac1n\sum_i C_1(p_i) + e`, sends
:math:`C_2(q)`, :math:`e^+ = q - C_2(q)`, :math:`x^+ = x - C_2(q)`. With
:math:`r_j = \sqrt{1 - \delta_j}` and :math:`\gamma \le \frac1{2L}`

.. math::
   :label: ef_sgd_two_way

   \gamma \le \frac{1}{2L} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L\sigma^2}{n} + 2\gamma^2L^2G^2
   \frac{(r_1+r_2)^2}{(1-r_1)^2(1-r_2)^2}, r_j = \sqrt{1-\delta_j};

the last fraction is :math:`A^2`.

Proof: :math:`\tilde x = x - e - \bar e` obeys :math:`\tilde x^+ = \tilde x - \gamma\bar g`
whatever is sent. In the norm :math:`\sqrt{E\|\cdot\|^2}`, :math:`e_i \le \gamma G r_1/(1-r_1)`,
:math:`\frac1n\sum_i C_1(p_i) = \gamma\bar g + \bar e - \bar e^+ \le \gamma G(1+r_1)/(1-r_1)`, so
:math:`e \le \gamma G(1+r_1)r_2/((1-r_1)(1-r_2))`, and the sum of the two is :math:`\gamma G A`.
The rest is the descent of one-way error feedback.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.families import VirtualDescent, within_drift


@final
@dataclass(frozen=True)
class EfSgdTwoWay(VirtualDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "ef_sgd_two_way"
    title = "SGD with error feedback on workers and server, non-convex"
    source = Source("Zheng, Huang, Kwok", 2019, "1905.10936", "without momentum, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "G2", "delta_up", "delta_down", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    tight = False
    example = Constants(
        n=4, L=2.0, sigma2=5.0, G2=7.0, delta_up=0.5, delta_down=0.3, initial_gap=3.0
    )

    def amplification(self, c: Constants) -> float:
        """A: both residuals together are at most gamma G A."""
        up, down = (math.sqrt(1 - c.need(name)) for name in ("delta_up", "delta_down"))
        return (up + down) / ((1 - up) * (1 - down))

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def residual(self, c: Constants, gamma: float) -> float:
        return 2 * (gamma * c.need("L") * self.amplification(c)) ** 2 * c.need("G2")


ef_sgd_two_way = EfSgdTwoWay()

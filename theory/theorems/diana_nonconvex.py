r"""DIANA on smooth functions: heterogeneity leaves the floor.

Setting of Mishchenko et al. 2019 (arXiv:1901.09269); bound derived here. Each f_i is
:math:`L = L_{max}`-smooth, the rest as for strongly convex functions, :math:`h_i = 0` at first. For
:math:`\alpha \le \frac1{1+\omega}`, :math:`\gamma \le \min\left(\frac1{2L},
\frac{\alpha}{L}\sqrt{\frac{n}{12\omega}}\right)`

.. math::
   :label: diana_nonconvex

   \gamma \le \min(\frac{1}{2L}, \frac{\alpha}{L}\sqrt{\frac{n}{12\omega}}) \Rightarrow \frac1T
   \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac{2\Delta}{\gamma T} + \frac{4\gamma
   L\omega(\zeta^2+2L\Delta)}{n\alpha T} + \frac{2\gamma L(1+4\omega)\sigma^2}{n}.

Proof: :math:`H = \frac1n\sum_i\|h_i - \nabla f_i(x)\|^2`. The step has second moment
:math:`\|\nabla f\|^2 + ((1+\omega)\sigma^2 + \omega H)/n`. By Young with :math:`\alpha/2`,
:math:`E H^+ \le (1-\frac\alpha2) H + \frac{3\alpha}2\sigma^2 + \frac3\alpha L^2 E\|x^+ - x\|^2`.
With :math:`c = 2L\gamma^2\omega/(n\alpha)`, :math:`f + cH` falls by :math:`\frac\gamma2
\|\nabla f\|^2` up to :math:`L\gamma^2(1+4\omega)\sigma^2/n`, and at the start
:math:`H = \frac1n\sum_i\|\nabla f_i\|^2 \le \zeta^2 + 2L\Delta`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, shift_step
from theory.theorems.families import Descent


@final
@dataclass(frozen=True)
class DianaNonconvex(Descent):
    """See the file's docstring for the statement and its derivation."""

    name = "diana_nonconvex"
    title = "DIANA, non-convex, constant stepsize"
    source = Source("Mishchenko et al.", 2019, "1901.09269", "non-convex case, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "zeta2", "omega", "alpha", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF, "omega": HALF})
    formula = "min(1/2, alpha sqrt(n/(12 omega)))/L_max"
    tight = False
    example = Constants(
        n=4, L_max=2.0, sigma2=5.0, zeta2=1.5, omega=3.0, alpha=0.01, initial_gap=3.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return shift_step(c)

    def limit(self, c: Constants) -> float:
        L, omega = c.need("L_max"), c.need("omega")
        shifts = c.need("alpha") * math.sqrt(c.need("n") / (12 * omega)) if omega > 0 else math.inf
        return min(0.5, shifts) / L

    def noise(self, c: Constants) -> float:
        """(1 + 4 omega) sigma2 / n [(f / x)^2]."""
        return (1 + 4 * c.need("omega")) * c.need("sigma2") / c.need("n")

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("initial_gap"), c.need("L_max") * self.noise(c)

    def start(self, c: Constants, gamma: float) -> float:
        L, gap = c.need("L_max"), c.need("initial_gap")
        shifts = 4 * gamma * L * c.need("omega") * (c.need("zeta2") + 2 * L * gap)
        return 2 * gap / gamma + shifts / (c.need("n") * c.need("alpha"))

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        return (2 * gamma * c.need("L_max") * self.noise(c),)


diana_nonconvex = DianaNonconvex()

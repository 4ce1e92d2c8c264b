r"""Scaffnew: local steps whose meetings are decided by a coin converge linearly, whatever the data.

Mishchenko, Malinovsky, Stich, Richtarik 2022 (arXiv:2202.09357), Theorem 3.6 of ProxSkip with the
proximal map of consensus; with noise as derived here. Each f_i :math:`\mu`-strongly convex
(``mu_min``) and :math:`L_{max}`-smooth, gradients unbiased with variance :math:`\sigma^2`, a coin
for all with probability p (``meeting_chance``), all :math:`h_i = 0` at first. With
:math:`q = \max((1-\gamma\mu)^2, 1-p^2)`

.. math::
   :label: scaffnew

   \gamma \le \frac1{L_{max}} \Rightarrow \frac1n \sum_i E\|x_{i,T} - x^*\|^2 \le q^T (R^2 +
   \frac{\gamma^2}{p^2} \zeta_*^2) + \frac{1-q^T}{1-q} \gamma^2 \sigma^2

with :math:`\zeta_*^2 = \frac1n \sum_i \|\nabla f_i(x^*)\|^2` (``zeta2_star``; any uniform zeta2 is
at least that), and so for the mean model. The paper prints the larger :math:`1 - \min(\gamma\mu,
p^2)` for q. At :math:`p = 1/\sqrt\kappa` it is :math:`\kappa \log(1/\epsilon)` gradients with
:math:`\sqrt\kappa \log(1/\epsilon)` meetings.

Proof: :math:`a_i = \hat x_i - x^*` and :math:`b_i = \frac{\gamma}{p}(h_i - \nabla f_i(x^*))`. At a
meeting x is the mean of all :math:`\hat x_i - \frac{\gamma}{p} h_i` and h what is left of each, so
that :math:`\Psi = \sum_i \|x_i - x^*\|^2 + \frac{\gamma^2}{p^2} \|h_i - \nabla f_i(x^*)\|^2`
becomes :math:`\sum_i \|a_i - b_i\|^2` by Pythagoras. In the mean over the coin it is
:math:`\sum_i \|a_i - p b_i\|^2 + (1-p^2) \|b_i\|^2`, and :math:`a_i - p b_i` is a gradient step's
distance from that of x*, a contraction by :math:`1-\gamma\mu`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Order
from theory.theorems.conditions import Condition, decay, positive
from theory.theorems.families import LinearConvergence, logarithmic


@final
@dataclass(frozen=True)
class ScaffnewTheorem(LinearConvergence):
    """See the file's docstring for the statement and its derivation."""

    name = "scaffnew"
    title = "Scaffnew, every worker strongly convex, constant stepsize"
    source = Source(
        "Mishchenko, Malinovsky, Stich, Richtarik", 2022, "2202.09357",
        "Theorem 3.6; with noise derived here",
    )  # fmt: skip
    confidence = Confidence.DERIVED
    needs = ("L_max", "mu_min", "sigma2", "zeta2_star", "meeting_chance", "R2")
    order = Order({"T": -1})
    formula = "1/L_max"
    tight = False
    example = Constants(
        L_max=2.0, mu_min=0.5, sigma2=5.0, zeta2_star=1.5, meeting_chance=0.5, R2=6.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return positive(c, "mu_min"), positive(c, "meeting_chance")

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L_max")

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("mu_min") ** 2 * c.need("R2"), c.need("sigma2")

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return logarithmic(self.limit(c), c.positive("mu_min"), self.balance(c), horizon)

    def logarithm(self, c: Constants, horizon: int) -> float:
        return self.own(self.stepsize(c, horizon)).gamma * c.need("mu_min") * horizon

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        gamma, p = step.gamma, c.need("meeting_chance")
        slow = gamma * c.need("mu_min")
        rate = min(slow * (2 - slow), p**2)  # 1 - q
        left = decay(rate, times)
        shifts = gamma**2 / p**2 * c.need("zeta2_star")
        return left * (c.need("R2") + shifts) + (1 - left) / rate * gamma**2 * c.need("sigma2")


scaffnew = ScaffnewTheorem()

r"""DIANA on strongly convex functions: shifts remove the floor of the compression.

Mishchenko et al. 2019 (arXiv:1901.09269); the constants are derived here. Each f_i convex and
:math:`L_{max}`-smooth, f :math:`\mu`-strongly convex, Q in U(omega) drawn anew and independently,
:math:`h_i^+ = h_i + \alpha Q(g_i - h_i)`, :math:`x^+ = x - \gamma \frac1n \sum_i (h_i + Q(g_i -
h_i))`, all :math:`h_i = 0` at first. For :math:`\alpha \le \frac1{1+\omega}`,
:math:`\gamma \le \frac1{L_{max}(1 + 6\omega/n)}` and :math:`q = \max(1 - \gamma\mu, 1 - \alpha/2)`

.. math::
   :label: diana

   \alpha \le \frac{1}{1+\omega}, \gamma \le \frac{1}{L_{max}(1+6\omega/n)} \Rightarrow E\|x_T -
   x^*\|^2 \le q^T (R^2 + \frac{4\gamma^2\omega\zeta_*^2}{n\alpha}) +
   \frac{1-q^T}{1-q}\gamma^2\frac{(1+5\omega)\sigma^2}{n}, q = \max(1-\gamma\mu, 1-\alpha/2)

with :math:`\zeta_*^2 = \frac1n \sum_i \|\nabla f_i(x^*)\|^2` (``zeta2_star``; any uniform zeta2
is at least that). Hessians may differ between workers. Without noise x_T converges linearly.

Proof: with :math:`I = \langle \nabla f(x), x - x^* \rangle`, :math:`H = \frac1n \sum_i
\|h_i - \nabla f_i(x^*)\|^2`, co-coercivity gives :math:`\frac1n \sum_i \|\nabla f_i(x) -
\nabla f_i(x^*)\|^2 \le L_{max} I`, so the second moment of the step is at most
:math:`L_{max}(1 + 2\omega/n) I + (1+\omega)\sigma^2/n + 2\omega H/n`. As :math:`\alpha(1+\omega)
\le 1`, :math:`E H^+ \le (1-\alpha) H + \alpha (L_{max} I + \sigma^2)`. Add :math:`4\gamma^2\omega/
(n\alpha)` of the second to the first: I keeps :math:`-\gamma`, H contracts by :math:`1-\alpha/2`.
A proximal step with the same shifts contracts alike, as prox is non-expansive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Order
from theory.theorems.conditions import Condition, convex, decay, positive, shift_step
from theory.theorems.families import LinearConvergence


@final
@dataclass(frozen=True)
class DianaTheorem(LinearConvergence):
    """See the file's docstring for the statement and its derivation."""

    name = "diana"
    title = "DIANA, strongly convex, constant stepsize"
    source = Source("Mishchenko et al.", 2019, "1901.09269", "constants derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "mu", "sigma2", "zeta2_star", "omega", "alpha", "R2", "convex")
    order = Order({"T": -1, "n": -1, "omega": 1})
    formula = "1/(L_max (1 + 6 omega/n))"
    tight = False
    example = Constants(
        n=4,
        L_max=2.0,
        mu=0.5,
        sigma2=5.0,
        zeta2_star=1.5,
        omega=3.0,
        alpha=0.01,
        R2=6.0,
        convex=True,
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return convex(c, "f_i"), positive(c, "mu"), *shift_step(c)

    def limit(self, c: Constants) -> float:
        return 1 / (c.need("L_max") * (1 + 6 * c.need("omega") / c.need("n")))

    def noise(self, c: Constants) -> float:
        """(1 + 5 omega) sigma2 / n [(f / x)^2]."""
        return (1 + 5 * c.need("omega")) * c.need("sigma2") / c.need("n")

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("mu") ** 2 * c.need("R2"), self.noise(c)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        gamma, alpha = step.gamma, c.need("alpha")
        shifts = 4 * gamma**2 * c.need("omega") * c.need("zeta2_star") / (c.need("n") * alpha)
        rate = min(gamma * c.need("mu"), alpha / 2)
        left = decay(rate, times)
        return left * (c.need("R2") + shifts) + (1 - left) / rate * gamma**2 * self.noise(c)


diana = DianaTheorem()

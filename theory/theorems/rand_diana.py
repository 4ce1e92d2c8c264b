r"""Rand-DIANA on strongly convex functions: shifts renewed at random remove the floor.

Setting of Shulgin, Richtarik 2022 (arXiv:2206.10452); constants derived here. Exact gradients, each
:math:`f_i` convex and :math:`L_{max}`-smooth, f :math:`\mu`-strongly convex and L-smooth, Q in
U(omega) drawn anew and independently, each shift renewed with probability p (``refresh``), all at 0
at first.

.. math::
   :label: rand_diana

   \gamma \le \frac{1}{L + 6\omega L_{max}/n} \Rightarrow E\|x_T - x^*\|^2 \le q^T (R^2 +
   \frac{4\gamma^2\omega\zeta_*^2}{np}), q = \max(1 - \gamma\mu, 1 - p/2)

with :math:`\zeta_*^2 = \frac1n \sum_i \|\nabla f_i(x^*)\|^2` (``zeta2_star``). Proof: with
:math:`I = \langle \nabla f(x), x - x^* \rangle`, :math:`H = \frac1n \sum_i \|h_i - \nabla
f_i(x^*)\|^2` and co-coercivity, the step has the second moment :math:`\|\nabla f\|^2 +
\frac{\omega}{n^2} \sum \|\nabla f_i - h_i\|^2 \le (L + 2\omega L_{max}/n) I + 2\omega H/n`, and
:math:`E H^+ \le (1-p) H + p L_{max} I`. Add :math:`\frac{4\gamma^2\omega}{np}` times the second
inequality to :math:`E\|x^+ - x^*\|^2 = \|x - x^*\|^2 - 2\gamma I + \gamma^2 (\dots)`: for
:math:`\gamma` up to the limit at most :math:`-\gamma I \le -\gamma\mu \|x - x^*\|^2` is left of the
terms in I, and the coefficient of H falls by the factor :math:`1 - p/2`. It is DIANA's proof with p
in the place of :math:`\alpha`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Order
from theory.theorems.conditions import Condition, convex, decay, positive
from theory.theorems.families import LinearConvergence
from theory.theorems.tracked import noiseless


@final
@dataclass(frozen=True)
class RandDianaTheorem(LinearConvergence):
    """See the file's docstring for the statement and its derivation."""

    name = "rand_diana"
    title = "Rand-DIANA, strongly convex, constant stepsize"
    source = Source("Shulgin, Richtarik", 2022, "2206.10452", "setting; constants derived here")
    confidence = Confidence.DERIVED
    needs = (
        "n", "L", "L_max", "mu", "sigma2", "zeta2_star", "omega", "refresh", "R2", "convex",
    )  # fmt: skip
    order = Order({}, linear=True)
    formula = "1/(L + 6 omega L_max/n)"
    tight = False
    example = Constants(
        n=4, L=2.0, L_max=2.5, mu=0.5, sigma2=0.0, zeta2_star=1.5, omega=3.0, refresh=0.05, R2=6.0,
        convex=True,
    )  # fmt: skip

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return noiseless(c), convex(c, "f_i"), positive(c, "mu")

    def limit(self, c: Constants) -> float:
        return 1 / (c.need("L") + 6 * c.need("omega") * c.need("L_max") / c.need("n"))

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("mu") ** 2 * c.need("R2"), 0.0

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        gamma, p = step.gamma, c.need("refresh")
        shifts = 4 * gamma**2 * c.need("omega") * c.need("zeta2_star") / (c.need("n") * p)
        left = decay(min(gamma * c.need("mu"), p / 2), times)
        return left * (c.need("R2") + shifts)


rand_diana = RandDianaTheorem()

r"""BSP-SGD with an unbiased compressor on strongly convex functions: the floor without shifts.

Derived here, in the setting of compressed gradient descent (compare Mishchenko et al. 2019,
arXiv:1901.09269, whose shifts remove the floor). Each f_i convex and :math:`L_{max}`-smooth, f
:math:`\mu`-strongly convex, C in U(omega), :math:`\gamma \le 1 / (L_{max} (1 + 2\omega/n))`:

.. math::
   :label: compressed_bsp_strongly_convex

   \gamma \le \frac{1}{L_{max}(1+2\omega/n)} \Rightarrow E\|x_T - x^*\|^2 \le q^T R^2 + (1-q^T)
   \frac{\gamma((1+\omega)\sigma^2 + 2\omega\zeta_*^2)}{\mu n}, q = 1-\gamma\mu,

with :math:`\zeta_*^2 = \frac1n \sum_i \|\nabla f_i(x^*)\|^2` (``zeta2_star``; any uniform zeta2
is at least that). Hessians may differ between workers.

Proof: :math:`\frac1n \sum_i \|\nabla f_i(x)\|^2 \le \frac2n \sum_i \|\nabla f_i(x) -
\nabla f_i(x^*)\|^2 + 2\zeta_*^2 \le 2 L_{max} \langle \nabla f(x), x - x^* \rangle + 2\zeta_*^2`
and :math:`\|\nabla f(x)\|^2 \le L_{max} \langle \nabla f(x), x - x^* \rangle` turn the second
moment of :math:`\frac1n \sum_i C(g_i)` into :math:`L_{max} (1 + 2\omega/n) \langle \nabla f(x),
x - x^* \rangle + ((1+\omega)\sigma^2 + 2\omega\zeta_*^2)/n`; the step condition leaves
:math:`-\gamma \langle \nabla f(x), x - x^* \rangle \le -\gamma\mu \|x - x^*\|^2`.
With the stepsize tuned to T the order is that of 1/T up to a logarithm.
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


@final
@dataclass(frozen=True)
class CompressedBspStronglyConvex(LinearConvergence):
    """See the file's docstring for the statement and its derivation."""

    name = "compressed_bsp_strongly_convex"
    title = "BSP-SGD with unbiased compression, strongly convex, constant stepsize"
    source = Source("Mishchenko et al.", 2019, "1901.09269", "case without shifts, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "mu", "sigma2", "zeta2_star", "omega", "R2", "convex")
    order = Order({"T": -1, "n": -1, "omega": 1})
    formula = "1/(L_max (1 + 2 omega/n))"
    tight = False
    example = Constants(
        n=4, L_max=2.0, mu=0.5, sigma2=5.0, zeta2_star=1.5, omega=3.0, R2=6.0, convex=True
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return convex(c, "f_i"), positive(c, "mu")

    def limit(self, c: Constants) -> float:
        return 1 / (c.need("L_max") * (1 + 2 * c.need("omega") / c.need("n")))

    def noise(self, c: Constants) -> float:
        """((1 + omega) sigma2 + 2 omega zeta2_star) / n [(f / x)^2]."""
        omega = c.need("omega")
        return ((1 + omega) * c.need("sigma2") + 2 * omega * c.need("zeta2_star")) / c.need("n")

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("mu") ** 2 * c.need("R2"), self.noise(c)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        mu = c.need("mu")
        left = decay(step.gamma * mu, times)
        return left * c.need("R2") + (1 - left) * step.gamma * self.noise(c) / mu


compressed_bsp_strongly_convex = CompressedBspStronglyConvex()

r"""BSP-SGD with an unbiased compressor on smooth functions, constant stepsize.

Derived here, in the setting of Alistarh et al. 2017 (arXiv:1610.02132), for any C with
:math:`E C(x) = x`, :math:`E\|C(x) - x\|^2 \le \omega \|x\|^2`, independent between workers, and
:math:`x_{t+1} = x_t - \gamma \frac1n \sum_i C(g_i)`. Given :math:`x_t`,

.. math:: E\left\|\tfrac1n \sum_i C(g_i)\right\|^2
   \le \|\nabla f\|^2 + \frac{\sigma^2}{n} + \frac{\omega}{n^2} \sum_i E\|g_i\|^2
   \le \left(1 + \frac{\omega}{n}\right) \|\nabla f\|^2
       + \frac{(1+\omega)\sigma^2 + \omega \zeta^2}{n},

because :math:`\frac1n \sum_i E\|g_i\|^2 \le \sigma^2 + \zeta^2 + \|\nabla f\|^2`. Smoothness then
gives, for :math:`\gamma \le 1 / (L (1 + \omega/n))`,

.. math::
   :label: compressed_bsp_nonconvex

   \gamma \le \frac{1}{L(1+\omega/n)} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \gamma L \frac{(1+\omega)\sigma^2 + \omega\zeta^2}{n}.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.families import Descent


@final
@dataclass(frozen=True)
class CompressedBspNonconvex(Descent):
    """See the file's docstring for the statement and its derivation."""

    name = "compressed_bsp_nonconvex"
    title = "BSP-SGD with unbiased compression, non-convex"
    source = Source("Alistarh et al.", 2017, "1610.02132", "setting of Theorem 3.4, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "zeta2", "omega", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF, "omega": HALF})
    formula = "1/(L (1 + omega/n))"
    tight = False
    example = Constants(n=4, L=2.0, sigma2=5.0, zeta2=1.5, omega=3.0, initial_gap=3.0)

    def limit(self, c: Constants) -> float:
        return 1 / (c.need("L") * (1 + c.need("omega") / c.need("n")))

    def noise(self, c: Constants) -> float:
        """((1 + omega) sigma2 + omega zeta2) / n [(f / x)^2]."""
        omega = c.need("omega")
        return ((1 + omega) * c.need("sigma2") + omega * c.need("zeta2")) / c.need("n")

    def balance(self, c: Constants) -> tuple[float, float]:
        return 2 * c.need("initial_gap"), c.need("L") * self.noise(c)

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        return (gamma * c.need("L") * self.noise(c),)


compressed_bsp_nonconvex = CompressedBspNonconvex()

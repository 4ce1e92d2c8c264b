r"""BSP-SGD on smooth functions, constant stepsize.

Bottou, Curtis, Nocedal 2018 (arXiv:1606.04838), Theorem 4.8, for the mean of n independent
unbiased gradients of variance :math:`\sigma^2` each. For :math:`\gamma \le 1/L` and T steps,

.. math::
   :label: bsp_nonconvex

   \gamma \le 1/L \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac{2 \Delta}{\gamma T}
   + \frac{\gamma L \sigma^2}{n}.

The best stepsize :math:`\gamma = \sqrt{2 n \Delta / (L \sigma^2 T)}` gives
:math:`2 \sqrt{2 L \Delta \sigma^2 / (n T)}`. The order is attained on quadratics whose noise does
not vanish: their floor is proportional to gamma, and gamma falls as T^{-1/2}.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.families import MiniBatchDescent


@final
@dataclass(frozen=True)
class BspNonconvex(MiniBatchDescent):
    """See the file's docstring for the statement."""

    name = "bsp_nonconvex"
    title = "BSP-SGD, non-convex, constant stepsize"
    source = Source("Bottou, Curtis, Nocedal", 2018, "1606.04838", "Theorem 4.8")
    confidence = Confidence.CERTAIN
    needs = ("n", "L", "sigma2", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    formula = "1/L"
    tight = True
    example = Constants(n=4, L=2.0, sigma2=5.0, initial_gap=3.0)

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L")

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        return (gamma * c.need("L") * c.need("sigma2") / c.need("n"),)


bsp_nonconvex = BspNonconvex()

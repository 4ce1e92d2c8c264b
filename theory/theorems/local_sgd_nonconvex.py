r"""Local SGD (periodic averaging) on smooth functions, constant stepsize.

Wang, Joshi 2018 (arXiv:1808.07576), the case W = J of Theorem 1 (PASGD). All workers draw gradients
of the same f; models are averaged every H steps; :math:`\gamma L + \gamma^2 L^2 H (H-1) \le 1`,
which says no more than :math:`\gamma \le 1 / (L H)`. With :math:`\bar x_t` the mean model,

.. math::
   :label: local_sgd_nonconvex

   \gamma L + \gamma^2 L^2 H(H-1) \le 1 \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L\sigma^2}{n} + \gamma^2 L^2 \sigma^2 (H-1).

T need not be a multiple of H: an unfinished period has drifted less. It covers K-AVG (Zhou, Cong
2018, arXiv:1708.01012), which is local SGD with H = K and bounds the models at averagings alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.families import MiniBatchDescent


@final
@dataclass(frozen=True)
class LocalSgdNonconvex(MiniBatchDescent):
    """See the file's docstring for the statement."""

    name = "local_sgd_nonconvex"
    title = "Local SGD, non-convex, identical workers"
    source = Source("Wang, Joshi", 2018, "1808.07576", "Theorem 1, W = J")
    confidence = Confidence.CERTAIN
    needs = ("n", "L", "sigma2", "zeta2", "H", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    formula = "1/(L H)"
    tight = False
    example = Constants(n=4, L=2.0, sigma2=5.0, zeta2=0.0, H=5, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (one_objective(c),)

    def limit(self, c: Constants) -> float:
        return 1 / (c.need("L") * c.need("H"))

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        L, sigma2 = c.need("L"), c.need("sigma2")
        return gamma * L * sigma2 / c.need("n"), (gamma * L) ** 2 * sigma2 * (c.need("H") - 1)


local_sgd_nonconvex = LocalSgdNonconvex()

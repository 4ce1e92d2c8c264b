r"""Cooperative SGD: local steps, and every H of them one step of gossip; non-convex, one objective.

Wang, Joshi 2018 (arXiv:1808.07576), Theorem 1 without auxiliary variables:
:math:`X_{t+1} = (X_t - \gamma G_t) S_t` with S_t = W when H | t + 1, else I, W symmetric and doubly
stochastic. With :math:`\lambda = \|W - J\|_2`, the mean model :math:`\bar x_t` obeys

.. math::
   :label: cooperative_sgd

   \gamma L + \gamma^2L^2K \le 1 \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L\sigma^2}{n} + \gamma^2 L^2 \sigma^2
   \left(\frac{1+\lambda^2}{1-\lambda^2}H - 1\right).

The paper asks for a stepsize of the order :math:`(1-\lambda)/(L H)`. Its proof needs no more than
:math:`\gamma L + \gamma^2L^2 K \le 1` with

.. math:: K = H(H-1)\,\frac{1+2\lambda}{1-\lambda} + 2\left(\frac{H\lambda}{1-\lambda}\right)^2,

derived here. W = J is local SGD (``local_sgd_nonconvex``). D-PSGD mixes before it steps: the latest
gradients are then mixed once less, and the statement is not for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, connected, one_objective, symmetric
from theory.theorems.families import MiniBatchDescent


@final
@dataclass(frozen=True)
class CooperativeSgd(MiniBatchDescent):
    """See the file's docstring for the statement."""

    name = "cooperative_sgd"
    title = "Cooperative SGD, non-convex, identical workers"
    source = Source("Wang, Joshi", 2018, "1808.07576", "Theorem 1; stepsizes derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "zeta2", "H", "lam", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    formula = "2/(L (1 + sqrt(1 + 4 K)))"
    tight = False
    example = Constants(n=4, L=2.0, sigma2=5.0, zeta2=0.0, H=5, lam=0.6, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return one_objective(c), connected(c), symmetric(c)

    def limit(self, c: Constants) -> float:
        """2/(L (1 + sqrt(1 + 4 K))); 1/L if lam = 1, where no stepsize would do [x^2 / f]."""
        H, lam = c.need("H"), c.need("lam")
        if lam >= 1:
            return 1 / c.need("L")
        K = H * (H - 1) * (1 + 2 * lam) / (1 - lam) + 2 * (H * lam / (1 - lam)) ** 2
        return 2 / (c.need("L") * (1 + math.sqrt(1 + 4 * K)))

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        y, sigma2, square = gamma * c.need("L"), c.need("sigma2"), c.need("lam") ** 2
        periods = (1 + square) / (1 - square) * c.need("H") - 1
        return (y * sigma2 / c.need("n") + y**2 * sigma2 * periods,)


cooperative_sgd = CooperativeSgd()

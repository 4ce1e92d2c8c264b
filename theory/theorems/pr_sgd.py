r"""Parallel restarted SGD (PR-SGD): models averaged every H steps, any shards, non-convex.

Yu, Yang, Zhu 2018 (arXiv:1807.06629), Theorem 1. Every worker's stochastic gradients are unbiased
for its own f_i, with variance at most :math:`\sigma^2` and second moment at most :math:`G^2`, and
every f_i is L-smooth; :math:`\gamma \le 1/L`. With :math:`\bar x_t` the mean model,

.. math::
   :label: pr_sgd

   \gamma \le 1/L \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le \frac{2\Delta}{\gamma
   T} + 4\gamma^2 H^2 G^2 L^2 + \frac{\gamma L\sigma^2}{n}.

The workers' objectives may differ. :math:`\gamma = \sqrt n/(L\sqrt T)` and
:math:`H \le T^{1/4}/n^{3/4}` give :math:`O(1/\sqrt{nT})`: n^{3/4} T^{3/4} rounds. The stepsize
prescribed here is that of mini-batch SGD, which is of the same order.
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
class PrSgd(MiniBatchDescent):
    """See the file's docstring for the statement."""

    name = "pr_sgd"
    title = "Parallel restarted SGD, non-convex, any shards"
    source = Source("Yu, Yang, Zhu", 2018, "1807.06629", "Theorem 1")
    confidence = Confidence.CERTAIN
    needs = ("n", "L_max", "sigma2", "G2", "H", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    smoothness = "L_max"
    formula = "1/L_max"
    tight = False
    example = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, H=5, initial_gap=3.0)

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L_max")

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        L = c.need("L_max")
        drift = 4 * (gamma * L * c.need("H")) ** 2 * c.need("G2")
        return gamma * L * c.need("sigma2") / c.need("n"), drift


pr_sgd = PrSgd()

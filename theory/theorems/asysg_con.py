r"""Asynchronous SGD with consistent reads (AsySG-con).

Lian et al. 2015 (arXiv:1506.08272), Theorem 1 and Corollary 2:
:math:`x_{t+1} = x_t - \gamma \sum_{m=1}^M g(x_{t-\tau_{t,m}})`, a SUM of M gradients, each unbiased
for f with variance :math:`\sigma^2`, delays at most tau server updates. T counts server updates.
If :math:`\gamma L M + 2\gamma^2L^2M^2\tau^2 \le 1`,

.. math::
   :label: asysg_con

   \gamma LM + 2\gamma^2L^2M^2\tau^2 \le 1 \Rightarrow \frac1T\sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{MT\gamma} + (\gamma L + 2L^2M\tau\gamma^2)\sigma^2.

M = 1 is the server that applies each gradient as it arrives; in turn (R2SP: Chen, Wang, Li 2019,
INFOCOM) tau is n - 1. Every gradient must be unbiased for f
itself, so the workers must share one objective. ``tau`` must bound every delay of the run.
:math:`\gamma = \sqrt{\Delta/(M L T\sigma^2)}` gives :math:`4\sqrt{\Delta L\sigma^2/(M T)}` once
:math:`T \ge 4 M L\Delta(\tau+1)^2/\sigma^2`; before that the largest stepsize allowed is used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.families import Descent


@final
@dataclass(frozen=True)
class AsysgCon(Descent):
    """See the file's docstring for the statement. ``M`` gradients are summed per server update.

    Raises:
        ValueError: M < 1.
    """

    M: int = 1

    name = "asysg_con"
    title = "Asynchronous SGD with bounded delays, non-convex"
    source = Source("Lian et al.", 2015, "1506.08272", "Theorem 1, Corollary 2")
    confidence = Confidence.CERTAIN
    needs = ("L", "sigma2", "zeta2", "tau", "initial_gap")
    order = Order({"T": -HALF})
    formula = "2/(L M (1 + sqrt(1 + 8 tau^2)))"
    tight = False
    balanced = 2.0  # the stepsize is the source's; one sqrt(2) times as long would be best
    example = Constants(L=2.0, sigma2=5.0, zeta2=0.0, tau=3, initial_gap=3.0)

    def __post_init__(self) -> None:
        if self.M < 1:
            raise ValueError(f"M must be at least 1 gradient per update, got M={self.M}")

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (one_objective(c),)

    def limit(self, c: Constants) -> float:
        return 2 / (c.need("L") * self.M * (1 + math.sqrt(1 + 8 * c.need("tau") ** 2)))

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("initial_gap"), self.M * c.need("L") * c.need("sigma2")

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / (self.M * gamma)

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        y = gamma * c.need("L")
        return ((y + 2 * y**2 * self.M * c.need("tau")) * c.need("sigma2"),)


asysg_con = AsysgCon()

r"""BSP-SGD on smooth strongly convex functions, stepsize 2/(mu (a + t)).

The setting of Bottou, Curtis, Nocedal 2018 (arXiv:1606.04838), Theorem 4.7, with a bound on the
distance that is derived here. For :math:`\gamma_t = 2 / (\mu (a + t))`, :math:`a \ge 2 L / \mu`,

.. math::
   :label: bsp_strongly_convex_decreasing

   \gamma_t = \frac{2}{\mu(a+t)}, a \ge 2L/\mu \Rightarrow E\|x_T - x^*\|^2 \le \frac{(a-1)(a-2) R^2
   + 4\sigma^2 T/(\mu^2 n)}{(a+T-1)(a+T-2)}.

Proof by induction: one step gives :math:`d_{t+1} \le (1 - \gamma_t\mu) d_t + \gamma_t^2\sigma^2/n`
as :math:`\gamma_t \le 1/L`. With :math:`w_t = (a+t-1)(a+t-2)`,
:math:`w_{t+1} (1 - \gamma_t \mu) = w_t` and :math:`w_{t+1} \gamma_t^2 \le 4/\mu^2`, so
:math:`w_{t+1} d_{t+1} \le w_t d_t + 4 \sigma^2 / (\mu^2 n)`. The order is attained on quadratics
whose noise does not vanish.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import InverseTimeStep
from theory.theorem import Metric, Order
from theory.theorems.conditions import Condition, at_least, equal, positive
from theory.theorems.kinds import InverseTimeTheorem


@final
@dataclass(frozen=True)
class BspStronglyConvexDecreasing(InverseTimeTheorem):
    """See the file's docstring for the statement."""

    name = "bsp_strongly_convex_decreasing"
    title = "BSP-SGD, strongly convex, stepsize 2/(mu (a + t))"
    source = Source("Bottou, Curtis, Nocedal", 2018, "1606.04838", "after Theorem 4.7")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "mu", "sigma2", "R2")
    metric = Metric.SQUARED_DISTANCE
    order = Order({"T": -1, "n": -1})
    tight = True
    example = Constants(n=4, L=2.0, mu=0.5, sigma2=5.0, R2=6.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (positive(c, "mu"),)

    def conditions(self, c: Constants, step: InverseTimeStep) -> tuple[Condition, ...]:
        mu = c.need("mu")
        return (
            equal("scale", step.scale, 2 / mu, "2/mu"),
            at_least("shift", step.shift, 2 * c.need("L") / mu, "2 L/mu"),
        )

    def prescribed(self, c: Constants, horizon: int) -> InverseTimeStep:
        mu = c.positive("mu")
        return InverseTimeStep(2 / mu, 2 * c.need("L") / mu)

    def curve(self, c: Constants, step: InverseTimeStep, times: Floats) -> Floats:
        a, mu, t = step.shift, c.need("mu"), times
        top = (a - 1) * (a - 2) * c.need("R2") + 4 * c.need("sigma2") * t / (mu**2 * c.need("n"))
        below = (a + t - 1) * (a + t - 2)
        bound = np.full(t.shape, np.inf)
        np.divide(top, below, out=bound, where=below > 0)
        return np.where(t == 0, c.need("R2"), bound)


bsp_strongly_convex_decreasing = BspStronglyConvexDecreasing()

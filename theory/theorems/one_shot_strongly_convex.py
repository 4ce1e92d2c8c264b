r"""One-shot averaging on strongly convex functions: never worse than one worker alone.

Workers of one objective run SGD by themselves and are averaged once (Zinkevich et al. 2010, NIPS;
Zhang, Duchi, Wainwright 2013, arXiv:1209.4129). Squares are convex, so the mean is at most as far
from the minimum as a worker is on average:

.. math::
   :label: one_shot_strongly_convex

   \gamma \le 1/L \Rightarrow E\|\bar x_T - x^*\|^2 \le (1 - \gamma\mu)^T R^2 +
   \frac{\gamma\sigma^2}{\mu}.

No 1/n: that takes smooth second derivatives (``one_shot_averaging``), and on quadratics the mean
of local SGD is BSP's model, whatever the period.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Order
from theory.theorems.conditions import Condition, decay, one_objective, positive
from theory.theorems.families import LinearConvergence


@final
@dataclass(frozen=True)
class OneShotStronglyConvex(LinearConvergence):
    """See the file's docstring for the statement and its derivation."""

    name = "one_shot_strongly_convex"
    title = "One-shot averaging, strongly convex, one objective"
    source = Source("Zinkevich et al.", 2010, "", "NIPS; any smooth function, derived here")
    confidence = Confidence.DERIVED
    needs = ("L", "mu", "sigma2", "zeta2", "R2")
    order = Order({"T": -1})
    formula = "1/L"
    tight = False
    example = Constants(L=2.0, mu=0.5, sigma2=5.0, zeta2=0.0, R2=6.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return one_objective(c), positive(c, "mu")

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L")

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("mu") ** 2 * c.need("R2"), c.need("sigma2")

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        mu = c.need("mu")
        left = decay(step.gamma * mu, times)
        return left * c.need("R2") + (1 - left) * step.gamma * c.need("sigma2") / mu


one_shot_strongly_convex = OneShotStronglyConvex()

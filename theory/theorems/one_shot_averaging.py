r"""One-shot averaging, strongly convex: the mean of n workers gains 1/n up to a bias of 1/T^2.

Zhang, Duchi, Wainwright 2013 (arXiv:1209.4129), whose order this gives back for workers that run
SGD. The mean of n workers that draw independently has the bias of one and 1/n of its variance; the
bias is of second order, since :math:`\nabla f(x) = \nabla^2 f(x^*) (x - x^*)` up to :math:`\frac M2
\|x - x^*\|^2`, M the Lipschitz constant of second derivatives (``hessian_lipschitz``).

.. math::
   :label: one_shot_averaging

   \gamma \le \frac1L, q = 1 - \gamma\mu \Rightarrow E\|\bar x_T - x^*\|^2 \le \frac1n \Bigl(q^T R^2
   + (1 - q^T) \frac{\gamma\sigma^2}{\mu}\Bigr) + \Bigl(q^T R + \frac{\gamma M}{2} T q^{T-1} R^2 +
   (1 - q^T) \frac{\gamma M \sigma^2}{2 \mu^2}\Bigr)^2.

With :math:`\gamma = \log(T)/(\mu T)` that is :math:`O(1/(nT) + 1/T^2)` up to logarithms, for one
objective of all workers; without M there is no 1/n (``one_shot_strongly_convex``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Order
from theory.theorems.conditions import Condition, decay, one_objective, positive
from theory.theorems.families import LinearConvergence


@final
@dataclass(frozen=True)
class OneShotAveraging(LinearConvergence):
    """See the file's docstring for the statement and its derivation."""

    name = "one_shot_averaging"
    title = "One-shot averaging, strongly convex, smooth second derivatives"
    source = Source("Zhang, Duchi, Wainwright", 2013, "1209.4129", "order; SGD, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "mu", "sigma2", "zeta2", "R2", "hessian_lipschitz")
    order = Order({"T": -1, "n": -1})
    formula = "1/L"
    tight = False
    example = Constants(n=4, L=2.0, mu=0.5, sigma2=5.0, zeta2=0.0, R2=6.0, hessian_lipschitz=0.25)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return one_objective(c), positive(c, "mu")

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L")

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("n") * c.need("mu") ** 2 * c.need("R2"), c.need("sigma2")

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        gamma, mu, R2 = step.gamma, c.need("mu"), c.need("R2")
        bend, level = c.need("hessian_lipschitz") / 2, gamma * c.need("sigma2") / mu
        left, before = decay(gamma * mu, times), decay(gamma * mu, np.maximum(times - 1, 0))
        bias = left * math.sqrt(R2) + bend * (gamma * times * before * R2 + (1 - left) * level / mu)
        return (left * R2 + (1 - left) * level) / c.need("n") + bias**2


one_shot_averaging = OneShotAveraging()

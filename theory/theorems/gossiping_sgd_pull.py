r"""Gossiping SGD that pulls: every worker nears the minimum, whoever it hears.

Jin, Yuan, Iandola, Keutzer 2016 (arXiv:1611.04581), Section 4, analyse squared distances from the
minimum of a strongly convex f. Derived here for any schedule that does not depend on what was
drawn, in which every worker arrives at least once within K consecutive ticks (``turn``), any
partners and any probability of a pull: :math:`x_i \leftarrow \frac12 (x_i + x_j) - \gamma g_i(x_i)`
or :math:`x_i - \gamma g_i(x_i)`.

.. math::
   :label: gossiping_sgd_pull

   \gamma \le \frac1{L + \mu} \Rightarrow E\|\bar x_T - x^*\|^2 \le \rho^{T/K - 1 + 1/K} R^2 +
   \frac{\gamma \sigma^2}{\mu (1 - \gamma \mu)}, \rho = 1 - 2 \gamma \mu (1 - \gamma \mu).

All workers share one objective. No mean is kept, so that n does not divide the noise.

Proof: :math:`\frac12 (x_i + x_j) - \gamma g_i` is the mean of :math:`x_j` and of :math:`x_i - 2
\gamma g_i`, of which the second has :math:`E\|\cdot - x^*\|^2 \le (1 - 2 \gamma \mu)^2 E\|x_i -
x^*\|^2 + 4 \gamma^2 \sigma^2`. The largest :math:`E\|x_i - x^*\|^2` less the floor is left
:math:`\rho` of itself by each worker's turn, and never grows above it; within T ticks there are at
least (T - K + 1)/K turns of all workers. A step without a pull does no worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric, Order
from theory.theorems.conditions import Condition, convex, decay, one_objective, positive
from theory.theorems.families import Limited, logarithmic


@final
@dataclass(frozen=True)
class GossipingSgdPull(Limited):
    """See the file's docstring for the statement and its derivation."""

    name = "gossiping_sgd_pull"
    title = "Gossiping SGD that pulls, strongly convex, one objective"
    source = Source("Jin et al.", 2016, "1611.04581", "Section 4, setting; constants derived here")
    confidence = Confidence.DERIVED
    metric = Metric.SQUARED_DISTANCE
    needs = ("L", "mu", "sigma2", "zeta2", "turn", "R2", "convex")
    order = Order({"T": -1})
    formula = "1/(L + mu)"
    tight = False
    balanced = 2.0  # a turn takes twice gamma mu of the distance, and the stepsize is half as long
    example = Constants(L=2.0, mu=0.5, sigma2=5.0, zeta2=0.0, turn=4, R2=6.0, convex=True)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return one_objective(c), convex(c, "f_i"), positive(c, "mu")

    def limit(self, c: Constants) -> float:
        return 1 / (c.need("L") + c.need("mu"))

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("mu") ** 2 * c.need("R2"), c.need("turn") * c.need("sigma2")

    def logarithm(self, c: Constants, horizon: int) -> float:
        """The exponent 2 gamma mu T/K, which the tuned stepsize makes a logarithm."""
        gamma = self.own(self.stepsize(c, horizon)).gamma
        return 2 * gamma * c.need("mu") * horizon / c.need("turn")

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        rate = 2 * c.need("mu") / c.need("turn")  # of the distance, per unit of stepsize
        return logarithmic(self.limit(c), rate, self.balance(c), horizon)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        y, turn = step.gamma * c.need("mu"), c.need("turn")
        turns = (np.asarray(times, dtype=np.float64) - turn + 1) / turn
        floor = step.gamma * c.need("sigma2") / (c.need("mu") * (1 - y))
        return decay(2 * y * (1 - y), turns) * c.need("R2") + floor


gossiping_sgd_pull = GossipingSgdPull()

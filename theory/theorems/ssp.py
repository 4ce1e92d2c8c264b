r"""SSP: the regret of stale synchronous parallel subgradient descent on a bounded domain, convex.

Ho et al. 2013 (NIPS), Theorem 1: T convex components f_t, each Lipschitz with constant l. Gradient
t is taken by one of n workers at a view :math:`\tilde x_t` that lacks nothing older than s clocks,
and added to x with :math:`\gamma_t = \sigma/\sqrt{t+1}`, t counted clock by clock. All points that
occur lie within D of each other. Every update is missing from, and every view has too early, no
more than s + 1 and s of every other worker, so for every :math:`\sigma`

.. math::
   :label: ssp

   \gamma_t = \frac{\sigma}{\sqrt{t+1}} \Rightarrow \frac1T \sum_{t<T} f_t(\tilde x_t) - f_t(x^*)
   \le \left(\frac{D^2}{2\sigma} + 4(s+1)n\sigma l^2\right)\frac1{\sqrt T}.

The paper has :math:`F = D/\sqrt2`, :math:`\sigma = F/(l\sqrt{2(s+1)n})` and
:math:`4Fl\sqrt{2(s+1)n/T}`, of which the bound here is three quarters. T counts gradients, not
server updates of many. Convex only: survey 002 cites it for non-convex functions (erratum T2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import InverseRootStep
from theory.theorem import HALF, Metric, Order
from theory.theorems.conditions import Condition, convex, per_step
from theory.theorems.kinds import InverseRootTheorem


@final
@dataclass(frozen=True)
class Ssp(InverseRootTheorem):
    """See the file's docstring for the statement."""

    name = "ssp"
    title = "Stale synchronous parallel, convex, regret"
    source = Source("Ho et al.", 2013, "", "NIPS, Theorem 1")
    confidence = Confidence.DERIVED
    needs = ("n", "lead", "lipschitz", "diameter", "convex")
    metric = Metric.AVERAGE_REGRET
    order = Order({"T": -HALF, "n": HALF, "lead": HALF})
    tight = False
    any_scale = True
    example = Constants(n=4, lead=2, lipschitz=3.0, diameter=2.0, convex=True)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (convex(c, "component"),)

    def prescribed(self, c: Constants, horizon: int) -> InverseRootStep:
        spread = c.need("lipschitz") * 2 * math.sqrt(self._late(c))
        return InverseRootStep(c.positive("diameter") / spread)

    def curve(self, c: Constants, step: InverseRootStep, times: Floats) -> Floats:
        late = 4 * self._late(c) * step.scale * c.need("lipschitz") ** 2
        return per_step(c.need("diameter") ** 2 / (2 * step.scale) + late, np.sqrt(times))

    def _late(self, c: Constants) -> float:
        """(s + 1) n."""
        return (c.need("lead") + 1) * c.need("n")


ssp = Ssp()

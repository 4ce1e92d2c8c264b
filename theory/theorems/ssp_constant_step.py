r"""SSP with a constant stepsize: regret against any point, convex, no bound on the domain.

The setting of Ho et al. 2013 (NIPS, Theorem 1; ``ssp``), derived here: T convex components f_t,
each Lipschitz with constant l; gradient t is taken at a view that lacks nothing older than s clocks
and has nothing newer than s - 1 clocks ahead of it, and is added to x with the stepsize
:math:`\gamma`, undivided. Then for every point :math:`x^*`, with R its distance from x_0,

.. math::
   :label: ssp_constant_step

   \frac1T \sum_{t<T} f_t(\tilde x_t) - f_t(x^*) \le \frac{R^2}{2\gamma T} + (2s+1)n\gamma l^2.

T counts gradients, whole clocks of all workers. Where the components are drawn independently of
the views the mean over the draws obeys the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Metric, Order
from theory.theorems.conditions import Condition, convex, per_step
from theory.theorems.kinds import ConstantStepTheorem


@final
@dataclass(frozen=True)
class SspConstantStep(ConstantStepTheorem):
    """See the file's docstring for the statement."""

    name = "ssp_constant_step"
    title = "Stale synchronous parallel, convex, constant stepsize, regret"
    source = Source("Ho et al.", 2013, "", "derived in the setting of NIPS, Theorem 1")
    confidence = Confidence.DERIVED
    needs = ("n", "lead", "lipschitz", "R2", "convex")
    metric = Metric.AVERAGE_REGRET
    order = Order({"T": -HALF, "n": HALF, "lead": HALF})
    tight = False
    any_scale = True
    example = Constants(n=4, lead=2, lipschitz=3.0, R2=6.0, convex=True)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (convex(c, "component"),)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        late = 2 * self._late(c) * c.need("lipschitz") ** 2
        return ConstantStep(float((c.positive("R2") / (late * horizon)) ** 0.5))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        floor = self._late(c) * step.gamma * c.need("lipschitz") ** 2
        return per_step(c.need("R2") / (2 * step.gamma), times) + floor

    def _late(self, c: Constants) -> float:
        """(2 s + 1) n."""
        return (2 * c.need("lead") + 1) * c.need("n")


ssp_constant_step = SspConstantStep()

r"""SSP with a constant stepsize: regret against any point, convex, no bound on the domain.

The setting of Ho et al. 2013 (NIPS, Theorem 1; ``ssp``), derived here: T convex components f_t,
each Lipschitz with constant l; gradient t is taken at a view that lacks nothing older than s clocks
and has nothing newer than s - 1 clocks ahead of it, and is added to x with the stepsize
:math:`\gamma`, undivided. Then for every point :math:`x^*`, with R its distance from x_0,

.. math:: \frac1T\sum_{t<T} f_t(\tilde x_t) - f_t(x^*) \le
   \frac{R^2}{2\gamma T} + (2s+1)\,n\,\gamma l^2.

T counts gradients, whole clocks of all workers. Where the components are drawn independently of
the views the mean over the draws obeys the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import Curve, Metric, Order, Theorem, missing_sentence
from theory.theorems.conditions import (
    CONSTANT,
    HALF,
    check_horizon,
    constant_step,
    failures,
    per_step,
    wrong_kind,
)


@final
@dataclass(frozen=True)
class SspConstantStep(Theorem):
    """See the file's docstring for the statement."""

    name = "ssp_constant_step"
    title = "Stale synchronous parallel, convex, constant stepsize, regret"
    source = Source("Ho et al.", 2013, "", "derived in the setting of NIPS, Theorem 1")
    confidence = Confidence.DERIVED
    needs = ("n", "lead", "lipschitz", "R2", "convex")
    metric = Metric.AVERAGE_REGRET
    order = Order({"T": -HALF, "n": HALF})
    tight = False
    statement = (
        r"\frac1T \sum_{t<T} f_t(\tilde x_t) - f_t(x^*) \le \frac{R^2}{2\gamma T} + "
        r"(2s+1)n\gamma l^2"
    )

    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        missing = missing_sentence(self, c)
        if missing:
            return missing
        if not isinstance(step, ConstantStep):
            return wrong_kind(step, CONSTANT)
        return failures(
            (c.convex is True, f"every component must be convex, got convex={c.convex}")
        )

    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        check_horizon(horizon)
        late = 2 * self._late(c) * c.positive("lipschitz") ** 2
        return ConstantStep(float((c.positive("R2") / (late * horizon)) ** 0.5))

    def bound(self, c: Constants, step: Stepsize, times: Curve) -> Curve:
        gamma = constant_step(step)
        floor = self._late(c) * gamma * c.need("lipschitz") ** 2
        return per_step(c.need("R2") / (2 * gamma), times) + floor

    def _late(self, c: Constants) -> float:
        """(2 s + 1) n."""
        return (2 * c.need("lead") + 1) * c.need("n")


ssp_constant_step = SspConstantStep()

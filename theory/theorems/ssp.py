r"""SSP: the regret of stale synchronous parallel subgradient descent on a bounded domain, convex.

Ho et al. 2013 (NIPS), Theorem 1: T convex components f_t, each Lipschitz with constant l. Gradient
t is taken by one of n workers at a view :math:`\tilde x_t` that lacks nothing older than s clocks,
and added to x with :math:`\gamma_t = \sigma/\sqrt{t+1}`, t counted clock by clock. All points that
occur lie within D of each other. Every update is missing from, and every view has too early, no
more than s + 1 and s of every other worker, so for every :math:`\sigma`

.. math:: \frac1T\sum_{t<T} f_t(\tilde x_t) - f_t(x^*) \le
   \left(\frac{D^2}{2\sigma} + 4(s+1)n\,\sigma l^2\right) \frac1{\sqrt T}.

The paper has :math:`F = D/\sqrt2`, :math:`\sigma = F/(l\sqrt{2(s+1)n})` and
:math:`4Fl\sqrt{2(s+1)n/T}`, of which the bound here is three quarters. T counts gradients, not
server updates of many. Convex only: survey 002 cites it for non-convex functions (erratum T2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import InverseRootStep, Stepsize
from theory.theorem import Curve, Metric, Order, Theorem, missing_sentence
from theory.theorems.conditions import (
    HALF,
    INVERSE_ROOT,
    check_horizon,
    failures,
    inverse_root_step,
    per_step,
    wrong_kind,
)


@final
@dataclass(frozen=True)
class Ssp(Theorem):
    """See the file's docstring for the statement."""

    name = "ssp"
    title = "Stale synchronous parallel, convex, regret"
    source = Source("Ho et al.", 2013, "", "NIPS, Theorem 1")
    confidence = Confidence.DERIVED
    needs = ("n", "lead", "lipschitz", "diameter", "convex")
    metric = Metric.AVERAGE_REGRET
    order = Order({"T": -HALF, "n": HALF})
    tight = False
    statement = (
        r"\gamma_t = \frac{\sigma}{\sqrt{t+1}} \Rightarrow \frac1T \sum_{t<T} "
        r"f_t(\tilde x_t) - f_t(x^*) \le \left(\frac{D^2}{2\sigma} + 4(s+1)n\sigma l^2\right)"
        r"\frac1{\sqrt T}"
    )

    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        missing = missing_sentence(self, c)
        if missing:
            return missing
        if not isinstance(step, InverseRootStep):
            return wrong_kind(step, INVERSE_ROOT)
        return failures(
            (c.convex is True, f"every component must be convex, got convex={c.convex}")
        )

    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        check_horizon(horizon)
        spread = c.positive("lipschitz") * 2 * math.sqrt(self._late(c))
        return InverseRootStep(c.positive("diameter") / spread)

    def bound(self, c: Constants, step: Stepsize, times: Curve) -> Curve:
        scale = inverse_root_step(step)
        late = 4 * self._late(c) * scale * c.need("lipschitz") ** 2
        amount = c.need("diameter") ** 2 / (2 * scale) + late
        return per_step(amount, np.sqrt(np.asarray(times, dtype=np.float64)))

    def _late(self, c: Constants) -> float:
        """(s + 1) n."""
        return (c.need("lead") + 1) * c.need("n")


ssp = Ssp()

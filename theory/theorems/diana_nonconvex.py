r"""DIANA on smooth functions: heterogeneity leaves the floor.

Setting of Mishchenko et al. 2019 (arXiv:1901.09269); bound derived here. Each f_i is
:math:`L = L_{max}`-smooth, the rest as for strongly convex functions, :math:`h_i = 0` at first. For
:math:`\alpha \le \frac1{1+\omega}`, :math:`\gamma \le \min\left(\frac1{2L},
\frac{\alpha}{L}\sqrt{\frac{n}{12\omega}}\right)`

.. math:: \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac{2\Delta}{\gamma T}
   + \frac{4\gamma L\omega(\zeta^2 + 2L\Delta)}{n\alpha T} + \frac{2\gamma L(1+4\omega)\sigma^2}{n}.

Proof: :math:`H = \frac1n\sum_i\|h_i - \nabla f_i(x)\|^2`. The step has second moment
:math:`\|\nabla f\|^2 + ((1+\omega)\sigma^2 + \omega H)/n`. By Young with :math:`\alpha/2`,
:math:`E H^+ \le (1-\frac\alpha2) H + \frac{3\alpha}2\sigma^2 + \frac3\alpha L^2 E\|x^+ - x\|^2`.
With :math:`c = 2L\gamma^2\omega/(n\alpha)`, :math:`f + cH` falls by :math:`\frac\gamma2
\|\nabla f\|^2` up to :math:`L\gamma^2(1+4\omega)\sigma^2/n`, and at the start
:math:`H = \frac1n\sum_i\|\nabla f_i\|^2 \le \zeta^2 + 2L\Delta`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import Curve, Metric, Order, Theorem, missing_sentence
from theory.theorems.conditions import (
    CONSTANT,
    HALF,
    at_most,
    check_horizon,
    constant_step,
    failures,
    per_step,
    shift_step,
    tuned,
    wrong_kind,
)


@final
@dataclass(frozen=True)
class DianaNonconvex(Theorem):
    """See the file's docstring for the statement and its derivation."""

    name = "diana_nonconvex"
    title = "DIANA, non-convex, constant stepsize"
    source = Source("Mishchenko et al.", 2019, "1901.09269", "non-convex case, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "zeta2", "omega", "alpha", "initial_gap")
    metric = Metric.AVERAGE_SQUARED_GRADIENT
    order = Order({"T": -HALF, "n": -HALF, "omega": HALF})
    tight = False
    statement = (
        r"\gamma \le \min(\frac{1}{2L}, \frac{\alpha}{L}\sqrt{\frac{n}{12\omega}}) \Rightarrow "
        r"\frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac{2\Delta}{\gamma T} + "
        r"\frac{4\gamma L\omega(\zeta^2+2L\Delta)}{n\alpha T} + "
        r"\frac{2\gamma L(1+4\omega)\sigma^2}{n}"
    )

    def limit(self, c: Constants) -> float:
        """The largest stepsize covered [x^2 / f]."""
        L, omega = c.completed().need("L_max"), c.need("omega")
        shifts = c.need("alpha") * math.sqrt(c.need("n") / (12 * omega)) if omega > 0 else math.inf
        return min(0.5, shifts) / L

    def noise(self, c: Constants) -> float:
        """(1 + 4 omega) sigma2 / n [(f / x)^2]."""
        return (1 + 4 * c.need("omega")) * c.need("sigma2") / c.need("n")

    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        missing = missing_sentence(self, c.completed())
        if missing:
            return missing
        if not isinstance(step, ConstantStep):
            return wrong_kind(step, CONSTANT)
        formula = "min(1/2, alpha sqrt(n/(12 omega)))/L_max"
        return failures(*shift_step(c), at_most("gamma", step.gamma, self.limit(c), formula))

    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        check_horizon(horizon)
        limit, L = self.limit(c), c.completed().need("L_max")
        return tuned(limit, c.need("initial_gap"), L * self.noise(c) * horizon)

    def bound(self, c: Constants, step: Stepsize, times: Curve) -> Curve:
        gamma, L, gap = constant_step(step), c.completed().need("L_max"), c.need("initial_gap")
        shifts = 4 * gamma * L * c.need("omega") * (c.need("zeta2") + 2 * L * gap)
        start = 2 * gap / gamma + shifts / (c.need("n") * c.need("alpha"))
        return per_step(start, times) + 2 * gamma * L * self.noise(c)


diana_nonconvex = DianaNonconvex()

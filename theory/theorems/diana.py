r"""DIANA on strongly convex functions: shifts remove the floor of the compression.

Mishchenko et al. 2019 (arXiv:1901.09269); the constants are derived here. Each f_i convex and
:math:`L_{max}`-smooth, f :math:`\mu`-strongly convex, Q in U(omega) drawn anew and independently,
:math:`h_i^+ = h_i + \alpha Q(g_i - h_i)`, :math:`x^+ = x - \gamma \frac1n \sum_i (h_i + Q(g_i -
h_i))`, all :math:`h_i = 0` at first. For :math:`\alpha \le \frac1{1+\omega}`,
:math:`\gamma \le \frac1{L_{max}(1 + 6\omega/n)}` and :math:`q = \max(1 - \gamma\mu, 1 - \alpha/2)`

.. math:: E\|x_T - x^*\|^2 \le q^T \left(R^2 + \frac{4\gamma^2\omega\zeta_*^2}{n\alpha}\right)
   + \frac{1 - q^T}{1 - q} \gamma^2 \frac{(1 + 5\omega)\sigma^2}{n}, \quad
   \zeta_*^2 = \frac1n \sum_i \|\nabla f_i(x^*)\|^2

(any uniform zeta2 is at least :math:`\zeta_*^2`). Without noise x_T converges linearly.

Proof: with :math:`I = \langle \nabla f(x), x - x^* \rangle`, :math:`H = \frac1n \sum_i
\|h_i - \nabla f_i(x^*)\|^2`, co-coercivity gives :math:`\frac1n \sum_i \|\nabla f_i(x) -
\nabla f_i(x^*)\|^2 \le L_{max} I`, so the second moment of the step is at most
:math:`L_{max}(1 + 2\omega/n) I + (1+\omega)\sigma^2/n + 2\omega H/n`. As :math:`\alpha(1+\omega)
\le 1`, :math:`E H^+ \le (1-\alpha) H + \alpha (L_{max} I + \sigma^2)`. Add :math:`4\gamma^2\omega/
(n\alpha)` of the second to the first: I keeps :math:`-\gamma`, H contracts by :math:`1-\alpha/2`.
A proximal step with the same shifts contracts alike, as prox is non-expansive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import Curve, Metric, Order, Theorem, missing_sentence
from theory.theorems.conditions import (
    CONSTANT,
    at_most,
    check_horizon,
    constant_step,
    decay,
    failures,
    shift_step,
    wrong_kind,
)


@final
@dataclass(frozen=True)
class Diana(Theorem):
    """See the file's docstring for the statement and its derivation."""

    name = "diana"
    title = "DIANA, strongly convex, constant stepsize"
    source = Source("Mishchenko et al.", 2019, "1901.09269", "constants derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "mu", "sigma2", "zeta2", "omega", "alpha", "R2", "convex")
    metric = Metric.SQUARED_DISTANCE
    order = Order({"T": Fraction(-1), "n": Fraction(-1), "omega": Fraction(1)})
    tight = False
    statement = (
        r"\alpha \le \frac{1}{1+\omega}, \gamma \le \frac{1}{L_{max}(1+6\omega/n)} \Rightarrow "
        r"E\|x_T - x^*\|^2 \le q^T (R^2 + \frac{4\gamma^2\omega\zeta_*^2}{n\alpha}) + "
        r"\frac{1-q^T}{1-q}\gamma^2\frac{(1+5\omega)\sigma^2}{n}, q = \max(1-\gamma\mu, 1-\alpha/2)"
    )

    def limit(self, c: Constants) -> float:
        """The largest stepsize covered, 1/(L_max (1 + 6 omega/n)) [x^2 / f]."""
        return 1 / (c.completed().need("L_max") * (1 + 6 * c.need("omega") / c.need("n")))

    def noise(self, c: Constants) -> float:
        """(1 + 5 omega) sigma2 / n [(f / x)^2]."""
        return (1 + 5 * c.need("omega")) * c.need("sigma2") / c.need("n")

    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        missing = missing_sentence(self, c.completed())
        if missing:
            return missing
        if not isinstance(step, ConstantStep):
            return wrong_kind(step, CONSTANT)
        return failures(
            (c.convex is True, f"every f_i must be convex, got convex={c.convex}"),
            (c.need("mu") > 0, f"mu must be positive, got mu={c.need('mu'):.6g}"),
            *shift_step(c),
            at_most("gamma", step.gamma, self.limit(c), "1/(L_max (1 + 6 omega/n))"),
        )

    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        check_horizon(horizon)
        limit, mu, noise = self.limit(c), c.need("mu"), self.noise(c)
        ratio = mu**2 * c.need("R2") * horizon
        if noise <= 0 or ratio <= 0:
            return ConstantStep(limit)
        return ConstantStep(min(limit, math.log1p(ratio / noise) / (mu * horizon)))

    def bound(self, c: Constants, step: Stepsize, times: Curve) -> Curve:
        gamma, alpha = constant_step(step), c.need("alpha")
        shifts = 4 * gamma**2 * c.need("omega") * c.need("zeta2") / (c.need("n") * alpha)
        rate = min(gamma * c.need("mu"), alpha / 2)
        left = decay(rate, times)
        return left * (c.need("R2") + shifts) + (1 - left) / rate * gamma**2 * self.noise(c)


diana = Diana()

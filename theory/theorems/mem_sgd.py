r"""MEM-SGD on smooth strongly convex functions.

Stich, Cordonnier, Jaggi 2018 (arXiv:1809.07599), Theorem 2.4, for a contraction of quality delta
(k/d for top-k and rand-k), memory kept in units of steps, :math:`E\|g\|^2 \le G^2`,
:math:`\gamma_t = 8/(\mu(a+t))`, some alpha > 4 with :math:`a \ge (\alpha+1)/\delta +
\rho/(\rho+1)`, :math:`\rho = 4\alpha/((\alpha-4)(\alpha+1)^2)`. With :math:`w_t = (a+t)^2` and
:math:`\hat x_T = \frac1{S_T}\sum_{t<T} w_t x_t`,

.. math::
   :label: mem_sgd

   E f(\hat x_T) - f^* \le \frac{4T(T+2a)}{\mu S_T} G^2 + \frac{\mu a^3}{8 S_T} R^2 +
   \frac{64T(1+2L/\mu)}{\mu S_T}\frac{4\alpha}{\alpha-4}\frac{G^2}{\delta^2}.

alpha = 5 is used, with shift :math:`(\alpha+2)/\delta` as in the paper's remark. The shift
condition is read in its larger form, which is safe either way. The paper has one worker; with
n workers and the mean of their memories the same proof holds, without a gain from n, whatever the
heterogeneity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import InverseTimeStep
from theory.theorem import Order
from theory.theorems.conditions import Condition, at_least, equal, positive
from theory.theorems.families import WeightedAverage

ALPHA = 5.0


@final
@dataclass(frozen=True)
class MemSgd(WeightedAverage):
    """See the file's docstring for the statement."""

    name = "mem_sgd"
    title = "MEM-SGD, strongly convex"
    source = Source("Stich, Cordonnier, Jaggi", 2018, "1809.07599", "Theorem 2.4")
    confidence = Confidence.READ
    needs = ("L", "mu", "G2", "delta", "R2")
    order = Order({"T": -1})
    tight = False
    example = Constants(L=2.0, mu=0.5, G2=7.0, delta=0.25, R2=6.0)

    def least_shift(self, c: Constants) -> float:
        """(alpha + 1)/delta + rho/(rho + 1) at alpha = 5."""
        rho = 4 * ALPHA / ((ALPHA - 4) * (ALPHA + 1) ** 2)
        return (ALPHA + 1) / c.need("delta") + rho / (rho + 1)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (positive(c, "mu"),)

    def conditions(self, c: Constants, step: InverseTimeStep) -> tuple[Condition, ...]:
        formula = "6/delta + 5/14"  # alpha = 5
        return (
            equal("scale", step.scale, 8 / c.need("mu"), "8/mu"),
            at_least("shift", step.shift, self.least_shift(c), formula),
        )

    def prescribed(self, c: Constants, horizon: int) -> InverseTimeStep:
        return InverseTimeStep(8 / c.positive("mu"), (ALPHA + 2) / c.need("delta"))

    def parts(self, c: Constants, shift: float) -> tuple[float, float, float]:
        mu, G2 = c.need("mu"), c.need("G2")
        memory = 4 * ALPHA / (ALPHA - 4) * G2 / c.need("delta") ** 2
        drift = 64 * (1 + 2 * c.need("L") / mu) / mu * memory
        return mu * shift**3 / 8 * c.need("R2"), 4 * G2 / mu, drift


mem_sgd = MemSgd()

r"""D-PSGD on smooth functions, constant stepsize.

Lian et al. 2017 (arXiv:1705.09056), Theorem 1 and Corollary 2. W symmetric and doubly stochastic,
:math:`\lambda = \max(|\lambda_2|, |\lambda_n|)` (the paper's :math:`\rho` is :math:`\lambda^2`),
every f_i :math:`L_{max}`-smooth, all workers start at x_0. With
:math:`D_2 = 1 - 18\gamma^2 n L^2/(1-\lambda)^2 > 0` and
:math:`D_1 = \frac12 - 9\gamma^2 n L^2/((1-\lambda)^2 D_2) > 0`, :math:`\gamma \le 1/L`,

.. math::
   :label: d_psgd

   \frac{D_1}{T} \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le \frac{\Delta}{\gamma T} + \frac{\gamma
   L\sigma^2}{2n} + \frac{\gamma^2L^2n\sigma^2}{(1-\lambda^2)D_2} +
   \frac{9\gamma^2L^2n\zeta^2}{(1-\lambda)^2D_2}.

The stepsize is that of Corollary 2, :math:`\gamma = 1/(2L + \sigma\sqrt{T/n})`, kept below
:math:`(1-\lambda)/(L\sqrt{54 n})`, where :math:`D_1 \ge 1/4`, so that the theorem applies at every
horizon. The gap acts on terms of higher order only: 1/T and below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Metric, Order
from theory.theorems.conditions import Condition, at_most, connected, per_step, symmetric
from theory.theorems.kinds import ConstantStepTheorem


@final
@dataclass(frozen=True)
class DPsgd(ConstantStepTheorem):
    """See the file's docstring for the statement."""

    name = "d_psgd"
    title = "D-PSGD, non-convex"
    source = Source("Lian et al.", 2017, "1705.09056", "Theorem 1, Corollary 2")
    confidence = Confidence.CERTAIN
    needs = ("n", "L_max", "sigma2", "zeta2", "lam", "initial_gap")
    metric = Metric.AVERAGE_SQUARED_GRADIENT
    order = Order({"T": -HALF, "n": -HALF})
    tight = False
    example = Constants(n=4, L_max=2.0, sigma2=5.0, zeta2=1.5, lam=0.6, initial_gap=3.0)

    def factors(self, c: Constants, gamma: float) -> tuple[float, float]:
        """D_1 and D_2 of the statement (D_1 is -inf where D_2 is not positive)."""
        L, gap = c.completed().need("L_max"), 1 - c.need("lam")
        u = 9 * (gamma * L) ** 2 * c.need("n") / gap**2
        d2 = 1 - 2 * u
        return (0.5 - u / d2 if d2 > 0 else -math.inf), d2

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return connected(c), symmetric(c)

    def conditions(self, c: Constants, step: ConstantStep) -> tuple[Condition, ...]:
        d1, d2 = self.factors(c, step.gamma)
        small = f"gamma={step.gamma:.6g} makes D_1={d1:.6g}, D_2={d2:.6g}; a smaller one would do"
        return at_most("gamma", step.gamma, 1 / c.need("L_max"), "1/L_max"), (d1 > 0, small)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        L, n = c.need("L_max"), c.need("n")
        corollary = 1 / (2 * L + math.sqrt(c.need("sigma2") * horizon / n))
        return ConstantStep(min(corollary, (1 - c.need("lam")) / (L * math.sqrt(54 * n))))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        gamma, n, L, lam = step.gamma, c.need("n"), c.need("L_max"), c.need("lam")
        sigma2, zeta2 = c.need("sigma2"), c.need("zeta2")
        d1, d2 = self.factors(c, gamma)
        spread = sigma2 / (1 - lam**2) + 9 * zeta2 / (1 - lam) ** 2
        floor = gamma * L * sigma2 / (2 * n) + (gamma * L) ** 2 * n * spread / d2
        return (per_step(c.need("initial_gap") / gamma, times) + floor) / d1


d_psgd = DPsgd()

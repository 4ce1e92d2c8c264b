r"""SGD with error feedback by variances and heterogeneity, without a bound on gradients.

The setting of Stich, Karimireddy 2019 (arXiv:1909.05350), derived here for n workers whose
functions differ, each with its own residual, any contraction of quality :math:`\delta`:
:math:`x^+ = x - \frac1n\sum_i C(\gamma g_i + e_i)`.

.. math::
   :label: ef_sgd_variance

   \gamma \le \min\Bigl(\frac1{2L}, \frac{\delta}{4 L \sqrt{1 - \delta}}\Bigr) \Rightarrow \frac1T
   \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac1D \Bigl(\frac{2\Delta}{\gamma T} + \frac{\gamma L
   \sigma^2}{n} + 4 \gamma^2 L^2 (1 - \delta) \bigl(\frac{2 \zeta^2}{\delta^2} +
   \frac{\sigma^2}{\delta}\bigr)\Bigr), D = 1 - \frac{8 \gamma^2 L^2 (1 - \delta)}{\delta^2} \ge
   \frac12.

Proof: the mean square of the residuals obeys :math:`E_{t+1} \le (1 - \frac\delta2) E_t + (1 -
\delta) \gamma^2 \bigl(\frac2\delta (\|\nabla f(x_t)\|^2 + \zeta^2) + \sigma^2\bigr)`, since
:math:`\|a + b\|^2 \le (1 + \beta) \|a\|^2 + (1 + 1/\beta) \|b\|^2` with :math:`\beta =
\frac{\delta}{2 (1 - \delta)}`. The virtual iterate :math:`x - \bar e` descends as that of
``ef_sgd_workers``, up to :math:`2 L^2 E_t`; gradients in the sum of all :math:`E_t` are moved to
the left, which leaves D.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.families import MiniBatchDescent


@final
@dataclass(frozen=True)
class EfSgdVariance(MiniBatchDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "ef_sgd_variance"
    title = "SGD with error feedback by variances, non-convex, any shards"
    source = Source("Stich, Karimireddy", 2019, "1909.05350", "setting; n workers, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "zeta2", "delta", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    formula = "min(1/2, delta/(4 sqrt(1 - delta)))/L"
    tight = False
    example = Constants(n=4, L=2.0, sigma2=5.0, zeta2=1.5, delta=0.25, initial_gap=3.0)

    def left(self, c: Constants, gamma: float) -> float:
        """D, what is left of the gradients beside their part in residuals."""
        return 1 - 8 * (gamma * c.need("L")) ** 2 * (1 - c.need("delta")) / c.need("delta") ** 2

    def drift(self, c: Constants) -> float:
        """What residuals of noise and heterogeneity add, per gamma^2/D."""
        L, delta = c.need("L"), c.need("delta")
        own = 2 * c.need("zeta2") / delta**2 + c.need("sigma2") / delta
        return 4 * L**2 * (1 - delta) * own

    def limit(self, c: Constants) -> float:
        lost: float = (1 - c.need("delta")) ** 0.5 / c.need("delta")
        return 1 / (4 * c.need("L") * max(0.5, lost))

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        step, drift = super().prescribed(c, horizon), self.drift(c)
        if drift <= 0 or c.need("initial_gap") <= 0:
            return step
        half = (c.need("initial_gap") / (horizon * drift)) ** (1 / 3)  # drift is half of the start
        return ConstantStep(min(step.gamma, half))

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / (gamma * self.left(c, gamma))

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        left = self.left(c, gamma)
        noise = gamma * c.need("L") * c.need("sigma2") / (c.need("n") * left)
        return noise, gamma**2 * self.drift(c) / left


ef_sgd_variance = EfSgdVariance()

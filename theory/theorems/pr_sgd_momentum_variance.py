r"""PR-SGD with momentum by variances and heterogeneity, without a bound on gradients.

The setting of Yu, Jin, Yang 2019 (arXiv:1905.03817), Theorem 1: :math:`u_i \leftarrow m u_i + g_i`,
:math:`x_i \leftarrow x_i - \gamma u_i`, models and velocities averaged every H steps. Constants are
derived here. With :math:`y = \frac{\gamma L_{max}}{1 - m}` and :math:`q = \frac{m}{1 - m}`

.. math::
   :label: pr_sgd_momentum_variance

   y \le \min\Bigl(\frac1{2H}, \frac1{1 + \sqrt{1 + 8 q^2}}\Bigr) \Rightarrow \frac1T \sum_{t<T}
   E\|\nabla f(\bar x_t)\|^2 \le \frac{2 (1 - m) \Delta}{\gamma T} + \frac{y \sigma^2}{n} + \frac{4
   y^2 m^2 \sigma^2}{(1 - m^2) n} + \frac{y^2 (H - 1)}D \Bigl(\frac{2 (2 H - 1)}3 \zeta^2 +
   \sigma^2\Bigr), D = 1 - 2 y^2 H (H - 1) \ge \frac12.

Proof: the virtual model :math:`z = \bar x - \frac{\gamma m}{1-m} \bar u` takes plain steps of
:math:`\frac{\gamma}{1-m}`. Since the last meeting, s < H steps ago, each gradient has moved a
worker from the mean by at most :math:`\frac{\gamma}{1-m}` of its own distance from the mean
gradient; the squares of these are at most :math:`2 L_{max}^2 \Xi + 2 \zeta^2`, and summed over a
period :math:`\Xi` pays for itself up to D. Velocities are sums of old mean gradients h by powers
of m, :math:`\sum_t E\|\bar u_t\|^2 \le \frac{2}{(1 - m)^2} \sum_t E\|h_t\|^2 + \frac{2 T
\sigma^2}{(1 - m^2) n}`, and the first part is paid for by the descent along h. With m = 0 and H =
1 it is mini-batch SGD.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.families import MiniBatchDescent, within_drift


@final
@dataclass(frozen=True)
class PrSgdMomentumVariance(MiniBatchDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "pr_sgd_momentum_variance"
    title = "PR-SGD with momentum by variances, non-convex, any shards"
    source = Source("Yu, Jin, Yang", 2019, "1905.03817", "setting; constants derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "zeta2", "H_velocity", "momentum", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    smoothness = "L_max"
    formula = "(1 - m) min(1/(2 H), 1/(1 + sqrt(1 + 8 m^2/(1 - m)^2)))/L_max"
    tight = False
    example = Constants(
        n=4, L_max=2.0, sigma2=5.0, zeta2=1.5, H_velocity=5, momentum=0.8, initial_gap=3.0
    )

    def limit(self, c: Constants) -> float:
        left = 1 - c.need("momentum")
        q = c.need("momentum") / left
        return left / (max(2 * c.need("H_velocity"), 1 + math.sqrt(1 + 8 * q**2)) * c.need("L_max"))

    def balance(self, c: Constants) -> tuple[float, float]:
        left, noise = 1 - c.need("momentum"), c.need("L_max") * c.need("sigma2")
        return 2 * left**2 * c.need("n") * c.need("initial_gap"), noise

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * (1 - c.need("momentum")) * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        m, H, sigma2 = c.need("momentum"), c.need("H_velocity"), c.need("sigma2")
        y = gamma * c.need("L_max") / (1 - m)
        behind = 4 * y**2 * m**2 * sigma2 / ((1 - m**2) * c.need("n"))
        apart = (H - 1) * (2 * (2 * H - 1) * c.need("zeta2") / 3 + sigma2)
        return y * sigma2 / c.need("n"), behind, y**2 * apart / (1 - 2 * y**2 * H * (H - 1))


pr_sgd_momentum_variance = PrSgdMomentumVariance()

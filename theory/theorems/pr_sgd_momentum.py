r"""PR-SGD with momentum: models and velocities averaged every H steps, any shards.

Yu, Jin, Yang 2019 (arXiv:1905.03817): :math:`u_i \leftarrow m u_i + g_i`, :math:`x_i \leftarrow x_i
- \gamma u_i`. Re-derived with bounded second moments. The virtual model :math:`z = \bar x -
\frac{\gamma m}{1-m} \bar u` takes plain steps of :math:`\gamma/(1-m)`; it is :math:`\gamma m
G/(1-m)^2` from :math:`\bar x`, and workers are within :math:`\gamma H G/(1-m)` of that, in the mean
square.

.. math::
   :label: pr_sgd_momentum

   \gamma \le \frac{1-m}{2 L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2 (1-m) \Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{(1-m) n} + \frac{\gamma^2
   L_{max}^2 H^2 G^2}{(1-m)^2} + \frac{2 \gamma^2 L_{max}^2 m^2 G^2}{(1-m)^4}.

With m = 0 it is ``pr_sgd`` with a quarter of its drift. Momentum changes no order: it is a larger
stepsize, and a term of order :math:`\gamma^2` more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.families import MiniBatchDescent, within_drift


@final
@dataclass(frozen=True)
class PrSgdMomentum(MiniBatchDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "pr_sgd_momentum"
    title = "PR-SGD with momentum, non-convex, any shards"
    source = Source("Yu, Jin, Yang", 2019, "1905.03817", "setting; second moments, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "G2", "H_velocity", "momentum", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    smoothness = "L_max"
    formula = "(1 - m)/(2 L_max)"
    tight = False
    example = Constants(
        n=4, L_max=2.0, sigma2=5.0, G2=7.0, H_velocity=5, momentum=0.8, initial_gap=3.0
    )

    def limit(self, c: Constants) -> float:
        return (1 - c.need("momentum")) / (2 * c.need("L_max"))

    def balance(self, c: Constants) -> tuple[float, float]:
        left, noise = 1 - c.need("momentum"), c.need("L_max") * c.need("sigma2")
        return 2 * left**2 * c.need("n") * c.need("initial_gap"), noise

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * (1 - c.need("momentum")) * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        m, G2 = c.need("momentum"), c.need("G2")
        y = gamma * c.need("L_max") / (1 - m)
        drift = (y * c.need("H_velocity")) ** 2 * G2
        behind = 2 * (y * m / (1 - m)) ** 2 * G2
        return y * c.need("sigma2") / c.need("n"), drift, behind


pr_sgd_momentum = PrSgdMomentum()

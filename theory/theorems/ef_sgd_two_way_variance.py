r"""SGD with error feedback on workers and server, without a bound on gradients.

The update of ``ef_sgd_two_way`` (Zheng, Huang, Kwok 2019, arXiv:1905.10936, without momentum; STC
of Sattler et al. 2019, arXiv:1903.02891, sends so), derived here for n workers whose functions
differ. With :math:`r_j = \sqrt{1 - \delta_j}` and :math:`A = \frac{r_1 + r_2}{(1 - r_1)(1 - r_2)}`

.. math::
   :label: ef_sgd_two_way_variance

   \gamma \le \frac1{2 L \max(1, A)} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac1D
   \Bigl(\frac{2\Delta}{\gamma T} + \frac{\gamma L \sigma^2}{n} + 2 \gamma^2 L^2 A^2 (\zeta^2 +
   \sigma^2)\Bigr), D = 1 - 2 \gamma^2 L^2 A^2 \ge \frac12.

Proof: as for second moments, with the norm :math:`\sqrt{\frac1T \sum_{t<T} \frac1n \sum_i
E\|\cdot\|^2}` in the place of that of one step. Residuals begin at 0, so that :math:`\|e\| \le r
(\|e\| + \gamma \|g\|)` holds of whole runs, and both together are at most :math:`\gamma A \|g\|`,
where :math:`\|g\|^2 = \frac1T \sum_t E\|\nabla f(x_t)\|^2 + \zeta^2 + \sigma^2` at most. The first
part is moved to the left, which leaves D.
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
class EfSgdTwoWayVariance(MiniBatchDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "ef_sgd_two_way_variance"
    title = "SGD with error feedback on workers and server by variances, non-convex, any shards"
    source = Source("Zheng, Huang, Kwok", 2019, "1905.10936", "setting; variances, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "zeta2", "delta_up", "delta_down", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    formula = "1/(2 L max(1, A))"
    tight = False
    example = Constants(
        n=4, L=2.0, sigma2=5.0, zeta2=1.5, delta_up=0.5, delta_down=0.3, initial_gap=3.0
    )

    def amplification(self, c: Constants) -> float:
        """A: both residuals together are at most gamma A times the gradients."""
        up: float = (1 - c.need("delta_up")) ** 0.5
        down: float = (1 - c.need("delta_down")) ** 0.5
        return (up + down) / ((1 - up) * (1 - down))

    def drift(self, c: Constants) -> float:
        """(L A)^2, twice which gradients, noise and heterogeneity add, per gamma^2."""
        return (c.need("L") * self.amplification(c)) ** 2

    def left(self, c: Constants, gamma: float) -> float:
        """D, what is left of the gradients beside their part in residuals."""
        return 1 - 2 * gamma**2 * self.drift(c)

    def limit(self, c: Constants) -> float:
        return 1 / (2 * c.need("L") * max(1.0, self.amplification(c)))

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        step, drift = super().prescribed(c, horizon), self.drift(c)
        drift *= c.need("zeta2") + c.need("sigma2")
        if drift <= 0 or c.need("initial_gap") <= 0:
            return step
        half = (c.need("initial_gap") / (2 * horizon * drift)) ** (1 / 3)  # half of the start
        return ConstantStep(min(step.gamma, half))

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / (gamma * self.left(c, gamma))

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        left, sigma2 = self.left(c, gamma), c.need("sigma2")
        noise = gamma * c.need("L") * sigma2 / (c.need("n") * left)
        return noise, 2 * gamma**2 * self.drift(c) * (c.need("zeta2") + sigma2) / left


ef_sgd_two_way_variance = EfSgdTwoWayVariance()

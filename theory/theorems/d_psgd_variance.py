r"""D-PSGD by variances and heterogeneity, without factors of n on sigma^2 and zeta^2.

The setting of Koloskova, Loizou, Boreiri, Jaggi, Stich 2020 (arXiv:2003.10422) with symmetric
matrices W of :math:`\lambda = \max(|\lambda_2|, |\lambda_n|)` at most, the same or another in every
round, derived here for smooth functions that
differ, whether workers mix before or after their step, all from one start.

.. math::
   :label: d_psgd_variance

   \gamma \le \frac{1 - \lambda}{2 L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar
   x_t)\|^2 \le \frac{2\Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{n} + \gamma^2 L_{max}^2
   \Bigl(\frac{4 \zeta^2}{(1 - \lambda)^2} + \frac{2 \sigma^2}{1 - \lambda}\Bigr).

No bound on gradients is needed. Proof: with :math:`\Xi_t = \frac1n \sum_i E\|x_i - \bar x\|^2`, the
gradients' mean square distance from their mean is at most :math:`2 L_{max}^2 \Xi + 2 \zeta^2`, and
with :math:`\|a + b\|^2 \le \|a\|^2/\lambda + \|b\|^2/(1 - \lambda)` a round leaves :math:`\Xi^+ \le
(\lambda + \frac{2 \gamma^2 L_{max}^2}{1 - \lambda}) \Xi + \gamma^2 (\frac{2\zeta^2}{1 - \lambda} +
\sigma^2)`. Half of :math:`1 - \lambda` is left, and the mean model descends as that of mini-batches
up to :math:`L_{max}^2 \Xi`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, connected, symmetric
from theory.theorems.families import MiniBatchDescent, within_drift


@final
@dataclass(frozen=True)
class DPsgdVariance(MiniBatchDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "d_psgd_variance"
    title = "D-PSGD by variances, non-convex, any shards"
    source = Source("Koloskova et al.", 2020, "2003.10422", "setting; constants derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "zeta2", "lam", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    smoothness = "L_max"
    formula = "(1 - lam)/(2 L_max)"
    tight = False
    changing_network = True
    example = Constants(n=4, L_max=2.0, sigma2=5.0, zeta2=1.5, lam=0.6, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return connected(c), symmetric(c)

    def limit(self, c: Constants) -> float:
        return (1 - c.need("lam")) / (2 * c.need("L_max"))

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        y, gap, sigma2 = gamma * c.need("L_max"), 1 - c.need("lam"), c.need("sigma2")
        return y * sigma2 / c.need("n"), y**2 * (4 * c.need("zeta2") / gap**2 + 2 * sigma2 / gap)


d_psgd_variance = DPsgdVariance()

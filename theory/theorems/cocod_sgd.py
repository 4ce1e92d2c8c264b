r"""CoCoD-SGD: local SGD whose averages are one period old.

Shen et al. 2019 (arXiv:1906.12043) overlap an average with the next period: a worker adds what it
did meanwhile to the mean of the models sent a period ago. Re-derived with bounded second moments,
in the manner of Yu, Yang, Zhu 2018 (arXiv:1807.06629): the mean model moves by the mean gradient,
and a worker differs from it by at most the steps of two periods.

.. math::
   :label: cocod_sgd

   \gamma \le 1/L_{max} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{n} + 4 \gamma^2 L_{max}^2 H^2 G^2.

H up to :math:`T^{1/4}/n^{3/4}` costs nothing to first order: rounds :math:`n^{3/4} T^{3/4}`, as the
paper has them.
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
class CocodSgd(MiniBatchDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "cocod_sgd"
    title = "CoCoD-SGD, non-convex, any shards"
    source = Source("Shen et al.", 2019, "1906.12043", "setting; second moments, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "G2", "H_stale", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    smoothness = "L_max"
    formula = "1/L_max"
    tight = False
    example = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, H_stale=5, initial_gap=3.0)

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L_max")

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        L = c.need("L_max")
        drift = 4 * (gamma * L * c.need("H_stale")) ** 2 * c.need("G2")
        return gamma * L * c.need("sigma2") / c.need("n"), drift


cocod_sgd = CocodSgd()

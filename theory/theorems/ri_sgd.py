r"""Redundancy-infused local SGD: what other workers' shards change in the drift.

Haddadpour, Kamani, Mahdavi, Cadambe 2019 (ICML), whose rate this gives back with constants. Worker
i holds some of the others' shards too, so that :math:`\zeta^2` is that of the objectives that
workers have *then*: it falls to 0 as everybody holds all. No bound on gradients is asked for.

.. math::
   :label: ri_sgd

   \gamma \le \frac{1}{L_{max}} \min\Bigl(1, \frac{1}{\sqrt 8 (H - 1)}\Bigr) \Rightarrow \frac1T
   \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le \frac{2\Delta}{\gamma T} + \frac{\gamma L_{max}
   \sigma^2}{n} + 4 \gamma^2 L_{max}^2 (H - 1) \sigma^2 + 8 \gamma^2 L_{max}^2 (H - 1)^2 \zeta^2.

Derivation: since a meeting, models part by noise, orthogonal over steps, and by :math:`H - 1` steps
along gradients whose mean square about their mean is at most :math:`2 L^2 V + 2 \zeta^2`, V the
spread itself; summed over a period V is at most twice what it would be without it.
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
class RiSgd(MiniBatchDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "ri_sgd"
    title = "Local SGD on shards of any redundancy, non-convex"
    source = Source("Haddadpour et al.", 2019, "", "ICML, setting and order; constants derived")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "zeta2", "H", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    smoothness = "L_max"
    formula = "min(1, 1/(sqrt(8) (H - 1)))/L_max"
    tight = False
    example = Constants(n=4, L_max=2.0, sigma2=5.0, zeta2=1.5, H=5, initial_gap=3.0)

    def limit(self, c: Constants) -> float:
        return 1 / (c.need("L_max") * max(1.0, math.sqrt(8) * (c.need("H") - 1)))

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        y, alone = gamma * c.need("L_max"), c.need("H") - 1
        drift = 4 * y**2 * alone * (c.need("sigma2") + 2 * alone * c.need("zeta2"))
        return y * c.need("sigma2") / c.need("n"), drift


ri_sgd = RiSgd()

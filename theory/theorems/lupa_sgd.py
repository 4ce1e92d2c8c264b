r"""Local updates with periodic averaging (LUPA-SGD) under the Polyak-Lojasiewicz inequality.

Haddadpour, Kamani, Mahdavi, Cadambe 2019 (arXiv:1910.13598), whose rate and number of rounds this
gives back, by another way: two workers of one L-smooth objective part by a factor of at most
:math:`1 + \gamma L` a step, convex or not, so that H - 1 steps after a meeting their models have
spread by :math:`\gamma^2 \sigma^2 (H - 1) (1 + \gamma L)^{2(H - 2)}` at most. No bound on gradients
is asked for.

.. math::
   :label: lupa_sgd

   \gamma \le 1/L \Rightarrow E f(\bar x_T) - f^* \le (1 - \gamma\mu)^T \Delta +
   \frac{\gamma L \sigma^2}{2 \mu n} + \frac{\gamma^2 L^2 \sigma^2}{2 \mu} (H - 1) (1 + \gamma
   L)^{2(H - 2)}.

At :math:`\gamma = \log(T)/(\mu T)` the last term is of lower order while :math:`n H` is small
against T, and :math:`H = T^{2/3}/n^{1/3}`, the paper's, is. H is the longest period: they may grow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.conditions import Condition, one_objective, positive
from theory.theorems.families import PolyakLojasiewicz
from theory.theorems.pr_sgd import pr_sgd


@final
@dataclass(frozen=True)
class LupaSgd(PolyakLojasiewicz):
    """See the file's docstring for the statement."""

    name = "lupa_sgd"
    title = "Local updates with periodic averaging, Polyak-Lojasiewicz, one objective"
    source = Source("Haddadpour et al.", 2019, "1910.13598", "setting and rate; derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "zeta2", "H", "pl", "initial_gap")
    order = Order({"T": -1, "n": -1})
    formula = pr_sgd.formula
    tight = False
    example = Constants(n=4, L_max=2.0, sigma2=5.0, zeta2=0.0, H=5, pl=0.5, initial_gap=3.0)
    descent = pr_sgd

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return positive(c, "pl"), one_objective(c)

    def balance(self, c: Constants) -> tuple[float, float]:
        noise = c.need("L_max") * c.need("sigma2") / c.need("n")
        return 2 * c.need("pl") ** 2 * c.need("initial_gap"), noise

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        y, H = gamma * c.need("L_max"), c.need("H")
        spread = y**2 * c.need("sigma2") * (H - 1) * (1 + y) ** (2 * (H - 2))
        return y * c.need("sigma2") / c.need("n"), spread


lupa_sgd = LupaSgd()

r"""Error feedback around the momentum of the model that all share (GMC).

Zhao, Xie, Gao, Li 2019 (arXiv:1905.12948): workers compress :math:`g - \frac m\gamma (x_t -
x_{t-1}) + e`. The iterate :math:`(x_t - \gamma \bar e_t - m x_{t-1})/(1 - m)` takes plain steps of
:math:`\gamma/(1 - m)`. With :math:`r = \sqrt{1 - \delta}`, what is compressed stays below :math:`p
= 1/(1 - r - m (1 + r))` times G where that is positive.

.. math::
   :label: global_momentum

   \frac{\gamma}{1 - m} \le \frac{1}{2 L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2
   \le \frac{2 (1 - m) \Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{(1 - m) n} + 2 \gamma^2
   L_{max}^2 G^2 \bigl(\frac{p (r + m (1 + r))}{1 - m}\bigr)^2.

The paper asks for no such thing as :math:`(1 + m)(1 + r) < 2`, and states its order only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, fed_back_globally
from theory.theorems.conditions import Condition
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class GlobalMomentumTheorem(Reached):
    """See the file's docstring for the statement."""

    name = "global_momentum"
    title = "Global momentum compression, non-convex"
    source = Source("Zhao et al.", 2019, "1905.12948", "setting and order; constants derived here")
    needs = ("n", "L_max", "sigma2", "G2", "delta", "momentum", "initial_gap")
    example = Constants(
        n=4, L_max=2.0, sigma2=5.0, G2=7.0, delta=0.91, momentum=0.2, initial_gap=3.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        grown = (1 + c.need("momentum")) * (1 + (1 - c.need("delta")) ** 0.5)
        description = f"(1 + m)(1 + sqrt(1 - delta)) must be below 2, got {grown:.4g}"
        return ((grown < 2, description),)

    def separation(self, c: Constants) -> Reach:
        return fed_back_globally(c.need("momentum"), c.need("delta"))


global_momentum = GlobalMomentumTheorem()

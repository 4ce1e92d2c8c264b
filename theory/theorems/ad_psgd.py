r"""Asynchronous decentralised parallel SGD (AD-PSGD).

Lian, Zhang, Zhang, Liu 2018 (arXiv:1710.06952). One worker's gradient a tick, taken at its model of
at most :math:`\tau` ticks ago, and an average with a random neighbour, which leaves k of the
squared spread of models in expectation, whoever calls (k = 1 - 1/(2 (n - 1)) on the complete
graph).

.. math::
   :label: ad_psgd

   \frac{\gamma}{n} \le \frac{1}{L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2
   \le \frac{2 n \Delta}{\gamma T} + \frac{\gamma L_{max}}{n^2} \bigl(\sigma^2 + (n - 1) G^2\bigr)
   + \gamma^2 L_{max}^2 G^2 \bigl(\frac{\sqrt{1 - 1/n}}{1 - \sqrt{k}} + \frac{\tau}{n}\bigr)^2.

Workers share one objective, and whose turn it is does not depend on what was drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, mixed_in_pairs
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, below_one, one_objective
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class ADPSGDTheorem(Reached):
    """See the file's docstring for the statement."""

    name = "ad_psgd"
    title = "Asynchronous pairwise gossip of one objective, non-convex"
    source = Source("Lian et al.", 2018, "1710.06952", "setting and order; constants derived here")
    needs = ("n", "L_max", "sigma2", "G2", "zeta2", "kept", "tau", "initial_gap")
    order = Order({"T": -HALF})
    example = Constants(
        n=4, L_max=2.0, sigma2=7.0, G2=7.0, zeta2=0.0, kept=0.75, tau=3, initial_gap=3.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return one_objective(c), below_one(c, "kept")

    def separation(self, c: Constants) -> Reach:
        return mixed_in_pairs(c.need("n"), c.need("tau"), c.need("kept"))


ad_psgd = ADPSGDTheorem()

r"""Local SGD over compressed gossip (SPARQ-SGD with a trigger that always fires).

Singh, Data, George, Diggavi 2019 (arXiv:1910.14280). A round of gossip leaves k of the potential
:math:`\sum_i \|x_i - \bar x\|^2 + \|x_i - \hat x_i\|^2` (:math:`k = 1 - p^2 \delta/82` at CHOCO's
consensus step, see ``choco_gossip``; less where the operator is known), H local steps add
:math:`\sqrt2 H \gamma G` to its root, and :math:`e_0` is what it is at the start.

.. math::
   :label: sparq_sgd

   \gamma \le \frac{1}{L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{2 L_{max}^2 H e_0}{n (1 - k) T} + \frac{\gamma L_{max}
   \sigma^2}{n} + \frac{4 \gamma^2 L_{max}^2 H^2 G^2}{(1 - \sqrt k)^2}.

The leading terms are those of mini-batch SGD, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, wandering_compressed
from theory.theorems.conditions import Condition, below_one
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class SparqSGD(Reached):
    """See the file's docstring for the statement."""

    name = "sparq_sgd"
    title = "Local SGD over compressed gossip, non-convex"
    source = Source("Singh et al.", 2019, "1910.14280", "setting and order; constants derived here")
    needs = ("n", "L_max", "sigma2", "G2", "H", "kept", "initial_potential", "initial_gap")
    example = Constants(
        n=4, L_max=2.0, sigma2=5.0, G2=7.0, H=5, kept=0.75, initial_potential=11.0, initial_gap=3.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (below_one(c, "kept"),)

    def separation(self, c: Constants) -> Reach:
        return wandering_compressed(c.need("H"), c.need("kept"))

    def start(self, c: Constants, gamma: float) -> float:
        apart = c.need("H") * c.need("initial_potential") / (c.need("n") * (1 - c.need("kept")))
        return super().start(c, gamma) + 2 * c.need("L_max") ** 2 * apart


sparq_sgd = SparqSGD()

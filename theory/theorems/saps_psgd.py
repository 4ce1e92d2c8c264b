r"""SAPS-PSGD: shared random masks and matched peers.

Tang, Shi, Chu 2020 (arXiv:2002.09692). Of the squared distance of models from their mean a round
leaves k in expectation, drawn afresh: :math:`k = 1 - (1 - \lambda_2(E W^T W))/c` where one
coordinate in c is averaged.

.. math::
   :label: saps_psgd

   \gamma \le \frac{1}{L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{n} + \frac{\gamma^2 L_{max}^2
   G^2}{(1 - \sqrt k)^2}."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, mixed_at_random
from theory.theorems.conditions import Condition, below_one
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class SAPSPSGDTheorem(Reached):
    """See the file's docstring for the statement."""

    name = "saps_psgd"
    title = "Gossip of masked models between matched peers, non-convex"
    source = Source(
        "Tang, Shi, Chu", 2020, "2002.09692", "setting and order; constants derived here"
    )
    needs = ("n", "L_max", "sigma2", "G2", "kept", "initial_gap")
    example = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, kept=0.75, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (below_one(c, "kept"),)

    def separation(self, c: Constants) -> Reach:
        return mixed_at_random(c.need("kept"))


saps_psgd = SAPSPSGDTheorem()

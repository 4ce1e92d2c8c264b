r"""Local SGD over gossip, on functions that differ.

Koloskova, Loizou, Boreiri, Jaggi, Stich 2020 (arXiv:2003.10422) for a meeting every H steps: ages
of a step fall into rounds of H, each of which leaves :math:`\lambda` of its spread at most,
whether W stays or changes. The paper has variances and heterogeneity up to multiples of the
gradient in place of second moments; the leading term sees neither H nor the gap there either.

.. math::
   :label: local_gossip

   \gamma \le \frac{1}{L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{n} + \frac{\gamma^2 L_{max}^2 H^2
   G^2}{(1 - \lambda)^2}."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, wandering
from theory.theorems.conditions import Condition, connected
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class LocalGossip(Reached):
    """See the file's docstring for the statement."""

    name = "local_gossip"
    title = "Local SGD over gossip, non-convex"
    source = Source(
        "Koloskova et al.", 2020, "2003.10422", "setting and order; constants derived here"
    )
    changing_network = True
    needs = ("n", "L_max", "sigma2", "G2", "H", "lam", "initial_gap")
    example = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, H=5, lam=0.6, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (connected(c),)

    def separation(self, c: Constants) -> Reach:
        return wandering(c.need("H"), c.need("lam"))


local_gossip = LocalGossip()

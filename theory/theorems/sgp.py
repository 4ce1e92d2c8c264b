r"""Stochastic gradient push, and gossip over any matrices that keep the mean.

Assran, Loizou, Ballas, Rabbat 2018 (arXiv:1811.10792). Sums move by column-stochastic matrices P,
gradients are taken at z = x/w. A step that worker j took k rounds ago sits in z as column j of
:math:`\mathrm{diag}(w_t)^{-1} P_t \cdots P_{t-k+1}`, in the mean as 1/n; the norms of these
differences sum to :math:`\Lambda` (``carried``), 1/(1 - lam) or less for one symmetric matrix.

.. math::
   :label: sgp

   \gamma \le \frac{1}{L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{n} + \gamma^2 L_{max}^2 \Lambda^2
   G^2.

The paper has variances in place of second moments, and the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, mixed
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class SGPTheorem(Reached):
    """See the file's docstring for the statement."""

    name = "sgp"
    title = "Gossip and push-sum with plain gradient steps, non-convex"
    source = Source(
        "Assran, Loizou, Ballas, Rabbat", 2018, "1811.10792", "setting; constants derived here"
    )
    needs = ("n", "L_max", "sigma2", "G2", "carried", "initial_gap")
    example = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, carried=2.5, initial_gap=3.0)

    def separation(self, c: Constants) -> Reach:
        return mixed(c.need("carried"))


sgp = SGPTheorem()

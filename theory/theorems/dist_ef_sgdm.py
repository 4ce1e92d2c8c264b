r"""Momentum SGD with error feedback on workers and server (dist-EF-SGDM).

Zheng, Huang, Kwok 2019 (arXiv:1905.10936): workers compress :math:`m u + g`, :math:`u \leftarrow m
u + g`, the server compresses what it heard, both keep what was left. With :math:`r = \sqrt{1 -
\delta}` of either way, :math:`q = r_{up}/(1 - r_{up}) + \frac{1 + r_{up}}{1 - r_{up}} r_{down}/(1 -
r_{down})` steps are on the way.

.. math::
   :label: dist_ef_sgdm

   \frac{\gamma}{1 - m} \le \frac{1}{2 L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2
   \le \frac{2 (1 - m) \Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{(1 - m) n} + 2 \gamma^2
   L_{max}^2 G^2 \bigl(\frac{q + m^2/(1 - m)}{1 - m}\bigr)^2.

Without momentum ``ef_sgd_two_way`` has smaller constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, both_ways, fed_back_nesterov
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class DistEFSGDM(Reached):
    """See the file's docstring for the statement."""

    name = "dist_ef_sgdm"
    title = "Two-way error feedback around Nesterov momentum, non-convex"
    source = Source(
        "Zheng, Huang, Kwok", 2019, "1905.10936", "setting and order; constants derived here"
    )
    needs = ("n", "L_max", "sigma2", "G2", "delta_up", "delta_down", "momentum", "initial_gap")
    example = Constants(
        n=4,
        L_max=2.0,
        sigma2=5.0,
        G2=7.0,
        delta_up=0.75,
        delta_down=0.51,
        momentum=0.5,
        initial_gap=3.0,
    )

    def separation(self, c: Constants) -> Reach:
        return fed_back_nesterov(
            c.need("momentum"), both_ways(c.need("delta_up"), c.need("delta_down"))
        )


dist_ef_sgdm = DistEFSGDM()

r"""Periodic averaging of quantised model changes (PQASGD).

Jiang, Agrawal 2018 (NeurIPS), whose rate and period this gives back with the price of quantisation:
the mean model jumps at meetings, by an unbiased message whose variance is at most :math:`\omega H^2
\gamma^2 G^2/n`, once in H steps.

.. math::
   :label: pqasgd

   \gamma \le \frac{1}{L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \gamma L_{max} \frac{\sigma^2 + \omega H G^2}{n} + \gamma^2
   L_{max}^2 (H - 1)^2 G^2.

Between meetings the mean model has not jumped yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, quantised_locally
from theory.theorem import HALF, Order
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class PQASGD(Reached):
    """See the file's docstring for the statement."""

    name = "pqasgd"
    title = "Local SGD with quantised increments, non-convex"
    source = Source(
        "Jiang, Agrawal", 2018, "", "NeurIPS: setting and order; constants derived here"
    )
    needs = ("n", "L_max", "sigma2", "G2", "H", "omega", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF, "H": HALF, "omega": HALF})
    example = Constants(n=4, L_max=2.0, sigma2=1e-6, G2=7.0, H=5, omega=3.0, initial_gap=3.0)

    def separation(self, c: Constants) -> Reach:
        return quantised_locally(c.need("H"), c.need("omega"))


pqasgd = PQASGD()

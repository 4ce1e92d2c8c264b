r"""Difference compression over gossip (DCD-PSGD).

Tang, Gan, Zhang, Zhang, Liu 2018 (arXiv:1803.06443): models move by :math:`C(W x - \gamma g - x)`,
C unbiased. The paper asks for :math:`(1 - \lambda)^2 > 4 \mu^2 \alpha^2`; second moments stay
bounded under the weaker :math:`k^2 = \lambda^2 + \omega \beta^2 < 1`, :math:`\beta = \|I - W\|`.
With :math:`s = \sqrt{1 + \omega}/(1 - k)`:

.. math::
   :label: dcd_psgd

   \gamma \le \frac{1}{L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \gamma L_{max} \frac{\sigma^2 + \omega (\beta s + 1)^2 G^2}{n} +
   \gamma^2 L_{max}^2 s^2 G^2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, sent_differences
from theory.theorems.conditions import Condition, symmetric
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class DCDPSGDTheorem(Reached):
    """See the file's docstring for the statement."""

    name = "dcd_psgd"
    title = "Gossip of compressed differences, non-convex"
    source = Source("Tang et al.", 2018, "1803.06443", "setting and order; constants derived here")
    needs = ("n", "L_max", "sigma2", "G2", "lam", "beta", "omega", "initial_gap")
    example = Constants(
        n=4, L_max=2.0, sigma2=5.0, G2=7.0, lam=0.6, beta=0.5, omega=0.05, initial_gap=3.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        left = c.need("lam") ** 2 + c.need("omega") * c.need("beta") ** 2
        description = f"lam^2 + omega beta^2 must be below 1, got {left:.4g}"
        return symmetric(c), (left < 1, description)

    def separation(self, c: Constants) -> Reach:
        return sent_differences(c.need("lam"), c.need("beta"), c.need("omega"))


dcd_psgd = DCDPSGDTheorem()

r"""BSP-SGD under the inequality of Polyak and Lojasiewicz, constant stepsize.

Karimi, Nutini, Schmidt 2016 (arXiv:1608.04636), Theorem 4, for the mean of n independent unbiased
gradients of variance :math:`\sigma^2` each. Where :math:`\|\nabla f\|^2 \ge 2\mu (f - f^*)`, which
strongly convex functions satisfy and functions with many minimisers may,

.. math::
   :label: bsp_pl

   \gamma \le 1/L \Rightarrow E f(x_T) - f^* \le (1 - \gamma\mu)^T \Delta +
   \frac{\gamma L \sigma^2}{2 \mu n}.

The code has :math:`1 - (1 - \gamma\mu)^T` times the last term. The stepsize is
:math:`\log(1 + 2 n \mu^2 \Delta T/(L \sigma^2))/(\mu T)`, below the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.families import PolyakLojasiewicz


@final
@dataclass(frozen=True)
class BspPl(PolyakLojasiewicz):
    """See the file's docstring for the statement."""

    name = "bsp_pl"
    title = "BSP-SGD, Polyak-Lojasiewicz, constant stepsize"
    source = Source("Karimi, Nutini, Schmidt", 2016, "1608.04636", "Theorem 4; n workers, derived")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "pl", "initial_gap")
    order = Order({"T": -1, "n": -1})
    formula = bsp_nonconvex.formula
    tight = False
    example = Constants(n=4, L=2.0, sigma2=5.0, pl=0.5, initial_gap=3.0)
    descent = bsp_nonconvex


bsp_pl = BspPl()

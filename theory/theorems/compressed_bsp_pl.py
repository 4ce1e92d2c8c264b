r"""BSP-SGD with unbiased compression under the inequality of Polyak and Lojasiewicz.

Derived here: the descent of ``compressed_bsp_nonconvex`` and :math:`\|\nabla f\|^2 \ge 2\mu (f -
f^*)` (Karimi, Nutini, Schmidt 2016, arXiv:1608.04636). No shift: what the workers' gradients differ
by at the minimum, :math:`\zeta^2`, is compressed too.

.. math::
   :label: compressed_bsp_pl

   \gamma \le \frac{1}{L (1 + \omega/n)} \Rightarrow E f(x_T) - f^* \le (1 - \gamma\mu)^T
   \Delta + \frac{\gamma L}{2 \mu n} \left((1 + \omega) \sigma^2 + \omega \zeta^2\right).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.families import PolyakLojasiewicz


@final
@dataclass(frozen=True)
class CompressedBspPl(PolyakLojasiewicz):
    """See the file's docstring for the statement."""

    name = "compressed_bsp_pl"
    title = "BSP-SGD with unbiased compression, Polyak-Lojasiewicz"
    source = Source(
        "Karimi, Nutini, Schmidt", 2016, "1608.04636", "Theorem 4; compressed, derived here"
    )
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "zeta2", "omega", "pl", "initial_gap")
    order = Order({"T": -1, "n": -1, "omega": 1})
    formula = compressed_bsp_nonconvex.formula
    tight = False
    example = Constants(n=4, L=2.0, sigma2=5.0, zeta2=1.5, omega=3.0, pl=0.5, initial_gap=3.0)
    descent = compressed_bsp_nonconvex


compressed_bsp_pl = CompressedBspPl()

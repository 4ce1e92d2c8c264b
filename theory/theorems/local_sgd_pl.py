r"""Local SGD under the inequality of Polyak and Lojasiewicz, any shards.

Derived here: the descent of ``pr_sgd`` holds at every step, whatever part of a period has passed,
and :math:`\|\nabla f\|^2 \ge 2\mu (f - f^*)`. The setting is that of LUPA-SGD (Haddadpour et al.
2019, arXiv:1910.13598), which asks for one distribution and gets by with fewer rounds; here shards
may differ, gradients have bounded second moments, and H up to :math:`\sqrt{T/n}` costs nothing.

.. math::
   :label: local_sgd_pl

   \gamma \le 1/L_{max} \Rightarrow E f(\bar x_T) - f^* \le (1 - \gamma\mu)^T \Delta +
   \frac{\gamma L_{max} \sigma^2}{2 \mu n} + \frac{2 \gamma^2 L_{max}^2 H^2 G^2}{\mu}.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.families import PolyakLojasiewicz
from theory.theorems.pr_sgd import pr_sgd


@final
@dataclass(frozen=True)
class LocalSgdPl(PolyakLojasiewicz):
    """See the file's docstring for the statement."""

    name = "local_sgd_pl"
    title = "Local SGD, Polyak-Lojasiewicz, any shards"
    source = Source(
        "Haddadpour et al.", 2019, "1910.13598", "setting; derived here from arXiv:1807.06629"
    )
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "G2", "H", "pl", "initial_gap")
    order = Order({"T": -1, "n": -1})
    formula = pr_sgd.formula
    tight = False
    example = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, H=5, pl=0.5, initial_gap=3.0)
    descent = pr_sgd


local_sgd_pl = LocalSgdPl()

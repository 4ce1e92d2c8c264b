r"""Asynchronous SGD with inconsistent reads (AsySG-incon).

The setting of Lian et al. 2015 (arXiv:1506.08272), Section 4, and of Hogwild!: every coordinate
that a gradient is computed on may miss any of the last tau updates, whole or in part. Re-derived
here: what is missed is :math:`\gamma` times a sum of at most tau parts of gradients, whose noises
are uncorrelated, so that the bound for consistent reads holds with tau the age of coordinates.

.. math::
   :label: asysg_incon

   \gamma L + 2 \gamma^2 L^2 \tau^2 \le 1 \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + (\gamma L + 2 \gamma^2 L^2 \tau) \sigma^2.

One update of the whole row a tick; the paper updates single coordinates, with constants in d. Every
gradient must be unbiased for f itself (one objective), and who reads what when must not depend on
what was drawn: the survey names neither. No loss while :math:`\tau = O(\sqrt T)`, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.asysg_con import asysg_con
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.families import Descent


@final
@dataclass(frozen=True)
class AsysgIncon(Descent):
    """See the file's docstring for the statement and its derivation."""

    name = "asysg_incon"
    title = "Asynchronous SGD with inconsistent reads, non-convex"
    source = Source("Lian et al.", 2015, "1506.08272", "setting of Section 4, derived here")
    confidence = Confidence.DERIVED
    needs = ("L", "sigma2", "zeta2", "tau_coordinate", "initial_gap")
    order = Order({"T": -HALF})
    formula = asysg_con.formula
    balanced = asysg_con.balanced
    tight = False
    example = Constants(L=2.0, sigma2=5.0, zeta2=0.0, tau_coordinate=3, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (one_objective(c),)

    def limit(self, c: Constants) -> float:
        return asysg_con.limit(aged(c))

    def balance(self, c: Constants) -> tuple[float, float]:
        return asysg_con.balance(c)

    def start(self, c: Constants, gamma: float) -> float:
        return asysg_con.start(c, gamma)

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        return asysg_con.floors(aged(c), gamma)


def aged(c: Constants) -> Constants:
    """The setting with the age of coordinates for that of models."""
    return c.state(None, tau=c.need("tau_coordinate"))


asysg_incon = AsysgIncon()

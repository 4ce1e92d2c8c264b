r"""Asynchronous SGD with inconsistent reads, by second moments: a bound for every single step.

The setting of Hogwild! (Niu et al. 2011, arXiv:1106.5730): every coordinate that a gradient is
computed on may miss any of the last tau updates. Derived here for gradients of bounded second
moment: :math:`\|\hat x_t - x_t\| \le \gamma \sum_{k=1}^{\tau} \|g_{t-k}\|` whatever was missed, so
no stepsize is too large.

.. math::
   :label: asynchronous_moments

   \gamma \le 1/L \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac{2\Delta}{\gamma T}
   + \gamma L G^2 + \gamma^2 L^2 \tau^2 G^2.

Every gradient must be unbiased for f itself (one objective), and compute times must not depend on
what was drawn. The stepsize :math:`\sqrt{2\Delta/(L G^2 T)}` gives :math:`2\sqrt{2 L \Delta
G^2/T}`, and the delay :math:`2 L \Delta\tau^2/T` beside it: no loss while :math:`\tau =
O(T^{1/4})`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.families import Descent, within_drift


@final
@dataclass(frozen=True)
class AsynchronousMoments(Descent):
    """See the file's docstring for the statement and its derivation."""

    name = "asynchronous_moments"
    title = "Asynchronous SGD with bounded second moments, non-convex"
    source = Source("Niu et al.", 2011, "1106.5730", "setting; second moments, derived here")
    confidence = Confidence.DERIVED
    needs = ("L", "G2", "zeta2", "tau_coordinate", "initial_gap")
    order = Order({"T": -HALF})
    formula = "1/L"
    tight = False
    example = Constants(L=2.0, G2=7.0, zeta2=0.0, tau_coordinate=3, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (one_objective(c),)

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L")

    def balance(self, c: Constants) -> tuple[float, float]:
        return 2 * c.need("initial_gap"), c.need("L") * c.need("G2")

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        y, G2 = gamma * c.need("L"), c.need("G2")
        return y * G2, (y * c.need("tau_coordinate")) ** 2 * G2


asynchronous_moments = AsynchronousMoments()

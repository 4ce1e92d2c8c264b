r"""Ringmaster ASGD: asynchronous SGD that takes no gradient of a delay of R or more.

Maranjyan, Tyurin, Richtarik 2025 (arXiv:2501.16168). One gradient a step of the server, delays of
at most :math:`\tau = R - 1` such steps, one objective; T counts steps of the server. With the
stepsize limited by R the sum of Lian et al. 2015 (arXiv:1506.08272, Theorem 1, M = 1) is twice that
of a single worker:

.. math::
   :label: ringmaster

   \gamma \le \frac{1}{2 R L} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + 2 \gamma L \sigma^2, \quad R = \tau + 1.

:math:`\gamma = \min\{1/(2 R L), \varepsilon/(4 L \sigma^2)\}` makes it :math:`\varepsilon` after
:math:`8 R L \Delta/\varepsilon + 16 \sigma^2 L \Delta/\varepsilon^2` steps, the paper's numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.families import Descent


@final
@dataclass(frozen=True)
class Ringmaster(Descent):
    """See the file's docstring for the statement."""

    name = "ringmaster"
    title = "Ringmaster ASGD: delays below R, non-convex"
    source = Source(
        "Maranjyan, Tyurin, Richtarik", 2025, "2501.16168", "step count; constants derived here"
    )
    confidence = Confidence.DERIVED
    needs = ("L", "sigma2", "zeta2", "tau", "initial_gap")
    order = Order({"T": -HALF})
    formula = "1/(2 L (tau + 1))"
    tight = False
    example = Constants(L=2.0, sigma2=5.0, zeta2=0.0, tau=3, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (one_objective(c),)

    def limit(self, c: Constants) -> float:
        return 1 / (2 * c.need("L") * (c.need("tau") + 1))

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("initial_gap"), c.need("L") * c.need("sigma2")

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        return (2 * gamma * c.need("L") * c.need("sigma2"),)


ringmaster = Ringmaster()

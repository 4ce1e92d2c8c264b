r"""Rennala SGD, by arrivals: B gradients of the current model make a step, older ones are dropped.

Tyurin, Richtarik 2023 (arXiv:2305.12387) count steps of the server; here T counts arrivals, as runs
do. One objective, unbiased gradients of variance :math:`\sigma^2`, compute times that do not depend
on what was drawn; S = ``collected`` is B. A model is kept for at most C = B + n - 1 arrivals
(``held``): after a step each of the n - 1 workers who did not make it brings at most one older
gradient.

.. math::
   :label: rennala_arrivals

   \gamma \le \frac1L \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac CT
   \Bigl(\frac{2\Delta}\gamma + \frac{\gamma L \sigma^2}S\Bigr) + \frac{C \gamma L \sigma^2}{S^2}.

How fast workers are is in neither constant. Derived in :mod:`theory.theorems.collected`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.theorems.collected import Collected
from theory.theorems.conditions import Condition, one_objective


@final
@dataclass(frozen=True)
class RennalaArrivals(Collected):
    """See the file's docstring for the statement."""

    name = "rennala_arrivals"
    title = "Rennala SGD, non-convex, by arrivals"
    source = Source("Tyurin, Richtarik", 2023, "2305.12387", "method; arrivals, derived here")
    needs = ("L", "sigma2", "zeta2", "collected", "held", "initial_gap")
    example = Constants(L=2.0, sigma2=5.0, zeta2=0.0, collected=4, held=7, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return one_objective(c), *super().premises(c)


rennala_arrivals = RennalaArrivals()

r"""DGD with a constant stepsize: a neighbourhood of the optimum, convex and Lipschitz.

Nedic, Ozdaglar 2009 (IEEE TAC 54(1), Proposition 3) show :math:`O(1/(\gamma T))` to a neighbourhood
of size :math:`O(\gamma/(1-\lambda))`; the bound here is derived, and holds for gradients with noise
too (then in expectation). W doubly stochastic, :math:`\lambda = \|W - J\|_2 < 1`, all workers start
at x_0, every f_i convex, every gradient (of every sample) of norm at most l, and
:math:`\bar x_t` the mean model:

.. math::
   :label: dgd

   E f\Big(\frac1T \sum_{t<T} \bar x_t\Big) - f^* \le \frac{\|x_0 - x^*\|^2}{2\gamma T} + \gamma l^2
   \left(\frac12 + \frac{2}{1-\lambda}\right).

The mean model moves by :math:`-\gamma \bar g_t`. Gradients are taken at the workers' models, which
are at most :math:`\gamma l / (1-\lambda)` from the mean model on average; evaluating them there
instead of at the mean model costs at most 2 l times that distance, the second term in the bracket.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.families import Neighbourhood


@final
@dataclass(frozen=True)
class Dgd(Neighbourhood):
    """See the file's docstring for the statement."""

    name = "dgd"
    title = "DGD, convex, constant stepsize"
    source = Source("Nedic, Ozdaglar", 2009, "", "IEEE TAC 54(1), Proposition 3; derived")
    confidence = Confidence.DERIVED
    needs = ("lam", "lipschitz", "R2", "convex")
    order = Order({"T": -HALF, "gap": -HALF})
    tight = False
    example = Constants(lam=0.6, lipschitz=3.0, R2=6.0, convex=True)

    def floor(self, c: Constants) -> float:
        return c.need("lipschitz") ** 2 * (0.5 + 2 / (1 - c.need("lam")))


dgd = Dgd()

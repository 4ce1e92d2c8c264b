r"""Projected DGD with a constant stepsize: a neighbourhood of the constrained optimum, convex.

Ram, Nedic, Veeravalli 2010 (arXiv:0811.2595, Theorem 1) bound the limit of stochastic subgradient
projection; the bound here, for every T, is derived. W doubly stochastic, :math:`\lambda =
\|W - J\|_2 < 1`, X closed and convex, all workers start at x_0 in X, every f_i convex, every
gradient (of every sample) on X of norm at most l, gradients taken at the mixed points
:math:`v_i = \sum_j W_{ij} x_j`. For every :math:`x^*` in X

.. math::
   :label: projected_dgd

   E f\Big(\frac1T \sum_{t<T} \bar x_t\Big) - f(x^*) \le \frac{\|x_0 - x^*\|^2}{2\gamma T} + \gamma
   l^2 \left(\frac12 + \frac{\lambda}{1-\lambda}\right).

Mixing and projection bring no worker away from x*, on average; mixed points are at most
:math:`\gamma l \lambda / (1-\lambda)` from their mean, which is the mean model.
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
class ProjectedDgd(Neighbourhood):
    """See the file's docstring for the statement."""

    name = "projected_dgd"
    title = "Distributed subgradient projection, convex, constant stepsize"
    source = Source("Ram, Nedic, Veeravalli", 2010, "0811.2595", "Theorem 1; derived")
    confidence = Confidence.DERIVED
    needs = ("lam", "lipschitz", "R2", "convex")
    order = Order({"T": -HALF, "gap": -HALF})
    tight = False
    example = Constants(lam=0.6, lipschitz=3.0, R2=6.0, convex=True)

    def floor(self, c: Constants) -> float:
        lam = c.need("lam")
        return c.need("lipschitz") ** 2 * (0.5 + lam / (1 - lam))


projected_dgd = ProjectedDgd()

r"""Decentralised mirror descent in the entropy: a neighbourhood of the optimum on the simplex.

Rabbat 2015 (IEEE CAMSAP) states the order; the bound here is derived. The set is the simplex of sum
1, the distance :math:`D(u, v) = \sum_j u_j \log(u_j/v_j)`, W symmetric and doubly stochastic,
:math:`\lambda = \|W - J\|_2 < 1`, all workers start at one point, every f_i convex, every entry of
every gradient (of every sample) at most G in size, gradients taken at the mixed points :math:`v_i =
\sum_j W_{ij} x_j`. For every :math:`x^*` of the simplex

.. math::
   :label: mirror_descent

   E f\Big(\frac1T \sum_{t<T} \bar x_t\Big) - f(x^*) \le \frac{D(x^*, x_0)}{\gamma T} + \gamma
   G^2 \left(\frac12 + \frac{\sqrt n \lambda}{1-\lambda}\right).

Entries count in the place of lengths: in R^d the lengths of gradients with such entries may be
:math:`\sqrt d` times as large, while D is at most log d from the centre. Mixed points are within
:math:`\gamma G \sqrt n \lambda/(1-\lambda)` of their mean in the 1-norm. In the Euclidean distance
:mod:`theory.theorems.projected_dgd` holds.
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
class MirrorDescentTheorem(Neighbourhood):
    """See the file's docstring for the statement."""

    name = "mirror_descent"
    title = "Decentralised mirror descent in the entropy, convex, constant stepsize"
    source = Source("Rabbat", 2015, "", "IEEE CAMSAP, order; constants derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "lam", "lipschitz_one", "divergence", "convex")
    order = Order({"T": -HALF, "n": HALF / 2, "gap": -HALF})
    tight = False
    far = "divergence"
    example = Constants(n=4, lam=0.99, lipschitz_one=3.0, divergence=1.5, convex=True)

    def floor(self, c: Constants) -> float:
        lam = c.need("lam")
        network: float = c.need("n") ** 0.5 * lam / (1 - lam)
        return c.need("lipschitz_one") ** 2 * (0.5 + network)


mirror_descent = MirrorDescentTheorem()

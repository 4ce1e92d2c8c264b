r"""Cyclic block coordinate descent with exact gradients, smooth functions.

The setting of Beck, Tetruashvili 2013 (SIAM J. Optim. 23(4)), derived here for one stepsize and
functions that need not be convex: step t moves block :math:`t \bmod K` of K disjoint blocks against
its part of the gradient.

.. math::
   :label: cyclic_blocks

   \gamma \le \frac1L \Rightarrow \frac1T \sum_{t<T} \|\nabla f(x_t)\|^2 \le \frac{4 K (1 + (K-1)
   \gamma^2 L^2) \Delta}{\gamma T}.

Proof: a step lowers f by :math:`\frac\gamma2 p_t`, :math:`p_t` the squared part of the gradient at
its own time. Over the K steps from t on, each part has changed by at most L times the way from
:math:`x_t`, whose pieces are orthogonal: :math:`\|\nabla f(x_t)\|^2 \le 2 (1 + (K-1) \gamma^2 L^2)
(p_t + \dots + p_{t+K-1})`, and every p is in K of these sums. Workers may differ: the mean of their
blocks is the block of the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.tracked import NoiselessDescent


@final
@dataclass(frozen=True)
class CyclicBlocks(NoiselessDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "cyclic_blocks"
    title = "Cyclic block coordinate descent, non-convex, exact gradients"
    source = Source("Beck, Tetruashvili", 2013, "", "SIAM J. Optim. 23(4), setting; derived here")
    confidence = Confidence.DERIVED
    needs = ("L", "sigma2", "blocks", "initial_gap")
    order = Order({"T": -1, "blocks": 2})
    formula = "1/L"
    tight = False
    example = Constants(L=2.0, sigma2=0.0, blocks=3, initial_gap=3.0)

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L")

    def start(self, c: Constants, gamma: float) -> float:
        blocks, y = c.need("blocks"), gamma * c.need("L")
        return 4 * blocks * (1 + (blocks - 1) * y**2) * c.need("initial_gap") / gamma


cyclic_blocks = CyclicBlocks()

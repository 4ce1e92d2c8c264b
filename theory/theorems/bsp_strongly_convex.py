r"""BSP-SGD on smooth strongly convex functions, constant stepsize.

Bottou, Curtis, Nocedal 2018 (arXiv:1606.04838), Theorem 4.6, is about
:math:`E f(x_T) - f^*`; the same for the distance is derived here. For
:math:`\gamma \le 1/L`, n independent gradients of variance :math:`\sigma^2`, after T steps

.. math::
   :label: bsp_strongly_convex

   \gamma \le 1/L \Rightarrow E\|x_T - x^*\|^2 \le (1-\gamma\mu)^T R^2 + \frac{\gamma\sigma^2}{\mu
   n}(1 - (1-\gamma\mu)^T).

Proof: :math:`\|\nabla f(x)\|^2 \le L \langle \nabla f(x), x - x^* \rangle` makes one step
contract by :math:`1 - \gamma\mu` up to :math:`\gamma^2 \sigma^2 / n`; sum the geometric series.
With :math:`\gamma = \ln(1 + A) / (\mu T)`, :math:`A = \mu^2 R^2 n T / \sigma^2`, the bound is
:math:`O(\sigma^2 \ln A / (\mu^2 n T))`; the order leaves the logarithm out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Order
from theory.theorems.conditions import Condition, decay, positive
from theory.theorems.families import LinearConvergence


@final
@dataclass(frozen=True)
class BspStronglyConvex(LinearConvergence):
    """See the file's docstring for the statement."""

    name = "bsp_strongly_convex"
    title = "BSP-SGD, strongly convex, constant stepsize"
    source = Source(
        "Bottou, Curtis, Nocedal", 2018, "1606.04838", "Theorem 4.6; derived for distances"
    )
    confidence = Confidence.DERIVED
    needs = ("n", "L", "mu", "sigma2", "R2")
    order = Order({"T": -1, "n": -1})
    formula = "1/L"
    tight = False
    example = Constants(n=4, L=2.0, mu=0.5, sigma2=5.0, R2=6.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (positive(c, "mu"),)

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L")

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("mu") ** 2 * c.need("R2") * c.need("n"), c.need("sigma2")

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        floor = step.gamma * c.need("sigma2") / (c.need("mu") * c.need("n"))
        left = decay(step.gamma * c.need("mu"), times)
        return left * c.need("R2") + floor * (1 - left)


bsp_strongly_convex = BspStronglyConvex()

r"""MARINA on smooth functions: a step that grows with the number of workers, any heterogeneity.

Gorbunov, Burlachenko, Li, Richtarik 2021 (arXiv:2102.07845), Theorem 2.1. Exact gradients, each
:math:`f_i` :math:`L_i`-smooth, :math:`\tilde L^2 = \frac1n \sum L_i^2` (``L_rms``), Q in U(omega)
drawn anew and independently by each worker, full gradients with probability p (``refresh``) and at
first.

.. math::
   :label: marina

   \gamma \le \frac{1}{L + \tilde L \sqrt{\frac{(1-p)\omega}{pn}}} \Rightarrow \frac1T \sum_{t<T}
   E\|\nabla f(x_t)\|^2 \le \frac{2\Delta}{\gamma T}.

Proof: with probability 1 - p the estimate is :math:`g + \frac1n \sum Q_i(\nabla f_i(x^+) - \nabla
f_i(x))`, so :math:`E\|g^+ - \nabla f(x^+)\|^2 \le (1-p)\|g - \nabla f(x)\|^2 +
(1-p)\frac{\omega}{n} \tilde L^2 \|x^+ - x\|^2`; the rest is that of descent along an estimate
(:mod:`theory.theorems.tracked`), whose error is 0 at first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.tracked import TrackedDescent


@final
@dataclass(frozen=True)
class MarinaTheorem(TrackedDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "marina"
    title = "MARINA, non-convex, constant stepsize"
    source = Source("Gorbunov, Burlachenko, Li, Richtarik", 2021, "2102.07845", "Theorem 2.1")
    confidence = Confidence.CERTAIN
    needs = ("n", "L", "L_rms", "sigma2", "omega", "refresh", "initial_gap")
    order = Order({"T": -1, "omega": HALF})
    formula = "1/(L + L_rms sqrt((1 - p) omega/(p n)))"
    tight = False
    example = Constants(n=4, L=2.0, L_rms=2.5, sigma2=0.0, omega=3.0, refresh=0.25, initial_gap=3.0)

    def share(self, c: Constants) -> float:
        return c.need("refresh")

    def drift(self, c: Constants) -> float:
        noise = (1 - c.need("refresh")) * c.need("omega") / c.need("n")
        return noise * c.need("L_rms") ** 2


marina = MarinaTheorem()

r"""DASHA on smooth functions: MARINA's rate without rounds of full gradients.

Setting of Tyurin, Richtarik 2022 (arXiv:2202.01268; there with 16 in the place of 4,
as recalled); the constant is derived here. Exact gradients, each :math:`f_i` :math:`L_i`-smooth,
:math:`\tilde L^2 = \frac1n \sum L_i^2` (``L_rms``), Q in U(omega) drawn anew and independently by
each worker, :math:`a = 1/(2\omega + 1)`, estimates that start at the gradients.

.. math::
   :label: dasha

   \gamma \le \frac{1}{L + \tilde L \sqrt{4\omega(2\omega+1)/n}} \Rightarrow \frac1T \sum_{t<T}
   E\|\nabla f(x_t)\|^2 \le \frac{2\Delta}{\gamma T}.

Proof: with :math:`S = \|g - \nabla f(x)\|^2`, :math:`P = \frac1n \sum \|g_i - \nabla
f_i(x)\|^2` and :math:`m = \tilde L^2 \|x^+ - x\|^2`: :math:`E P^+ \le (1-a) P + 2\omega m`, as
:math:`(1 - a)^2 + 2 a^2 \omega = 1 - a`, and :math:`E S^+ \le (1-a)^2 S + \frac{2\omega}{n} m +
\frac{2 a^2 \omega}{n} P`. So :math:`\frac1a S + \frac{2\omega}{n} P` falls by S at least, up to
:math:`\frac{2 \omega (4 \omega + 1)}{n} m`, and :math:`f + \frac\gamma2` times it by
:math:`\frac\gamma2 \|\nabla f\|^2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.tracked import TrackedDescent


@final
@dataclass(frozen=True)
class DashaTheorem(TrackedDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "dasha"
    title = "DASHA, non-convex, constant stepsize"
    source = Source("Tyurin, Richtarik", 2022, "2202.01268", "setting; constant derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "L_rms", "sigma2", "omega", "initial_gap")
    order = Order({"T": -1, "omega": 1})
    formula = "1/(L + L_rms sqrt(4 omega (2 omega + 1)/n))"
    tight = False
    example = Constants(n=4, L=2.0, L_rms=2.5, sigma2=0.0, omega=3.0, initial_gap=3.0)

    def share(self, c: Constants) -> float:
        return 1.0

    def drift(self, c: Constants) -> float:
        omega = c.need("omega")
        return 4 * omega * (2 * omega + 1) / c.need("n") * c.need("L_rms") ** 2


dasha = DashaTheorem()

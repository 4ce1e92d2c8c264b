r"""EF21 on smooth functions: the error of what workers have sent shrinks with the steps.

Richtarik, Sokolov, Fatkhullin 2021 (arXiv:2106.05203), Theorem 1. Exact gradients, each
:math:`f_i` :math:`L_i`-smooth, :math:`\tilde L^2 = \frac1n \sum L_i^2` (``L_rms``), C a contraction
with :math:`\delta`, :math:`G_0 = \frac1n \sum \|g_i - \nabla f_i(x_0)\|^2` after the first message
(``initial_memory``). With :math:`\theta = 1 - \sqrt{1-\delta}` and :math:`\beta =
(1-\delta)/\theta`

.. math::
   :label: ef21

   \gamma \le \frac{1}{L + \tilde L \sqrt{\beta/\theta}} \Rightarrow \frac1T \sum_{t<T}
   E\|\nabla f(x_t)\|^2 \le \frac{2\Delta}{\gamma T} + \frac{G_0}{\theta T}, \theta = 1 -
   \sqrt{1-\delta}, \beta = (1-\delta)/\theta.

Workers may differ in any way. Proof: by Young with :math:`1 + s = 1/\sqrt{1-\delta}`, :math:`G =
\frac1n \sum \|g_i - \nabla f_i(x)\|^2` has :math:`E G^+ \le (1-\delta)((1+s) G + (1+1/s) \tilde L^2
\|x^+ - x\|^2) = (1-\theta) G + \beta \tilde L^2 \|x^+ - x\|^2`; the rest is that of descent along a
tracked estimate (:mod:`theory.theorems.tracked`). :math:`\sqrt{\beta/\theta} = (1 +
\sqrt{1-\delta})/\delta - 1`.

Where every worker takes part in a round with probability p (EF21-PP: Fatkhullin et al. 2021,
arXiv:2110.03294), independently of all else, the theorem holds with :math:`p\delta` in the place of
:math:`\delta`: C with probability p and nothing otherwise leaves :math:`p (1-\delta) + 1 - p` of a
square in the mean. (Derived here; with a Young inequality of its own for those that are absent the
same is best.)

The exact worst factor of a step on strongly convex functions, for one deterministic C and the best
stepsize, is known too (Berg Thomsen, Taylor, Dieuleveut 2025, arXiv:2506.05271, Theorem 2).
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
class EF21Theorem(TrackedDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "ef21"
    title = "EF21, non-convex, constant stepsize"
    source = Source("Richtarik, Sokolov, Fatkhullin", 2021, "2106.05203", "Theorem 1")
    confidence = Confidence.CERTAIN
    needs = ("L", "L_rms", "sigma2", "delta", "initial_gap", "initial_memory")
    order = Order({"T": -1, "delta": -1})
    formula = "1/(L + L_rms sqrt(beta/theta))"
    tight = False
    example = Constants(
        L=2.0, L_rms=2.5, sigma2=0.0, delta=0.25, initial_gap=3.0, initial_memory=1.5
    )

    def share(self, c: Constants) -> float:
        root: float = (1 - c.need("delta")) ** 0.5
        return 1 - root

    def drift(self, c: Constants) -> float:
        return (1 - c.need("delta")) / self.share(c) * c.need("L_rms") ** 2

    def error(self, c: Constants) -> float:
        return c.need("initial_memory")


ef21 = EF21Theorem()

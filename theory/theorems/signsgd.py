r"""signSGD on one worker, or with the exact mean gradient.

Bernstein et al. 2018 (arXiv:1802.04434), Theorem 1: :math:`x^+ = x - \gamma\,\mathrm{sign}(g)`,
unbiased g with standard deviations :math:`\sigma_j` by coordinate, f smooth with constants
:math:`L_j` by coordinate. For every :math:`\gamma`

.. math::
   :label: signsgd

   \frac1T \sum_{t<T} E\|\nabla f(x_t)\|_1 \le \frac{\Delta}{\gamma T} + \frac{\gamma\|L\|_1}{2} +
   2\|\sigma\|_1.

The paper takes batches of T samples, which makes :math:`\|\sigma\|_1` fall as :math:`T^{-1/2}`, and
:math:`\gamma = 1/\sqrt{\|L\|_1 T}`: the square of the left side is at most
:math:`\frac1{\sqrt N}(\sqrt{\|L\|_1}(\Delta + \frac12) + 2\|\sigma_{(1)}\|_1)^2` after
:math:`N = T^2` samples. The order is that of such batches. ``sigma_one`` is that of the gradients
as drawn; ``L_one`` may be d L, or less.

Proof: coordinate j moves against the gradient unless the sign is wrong, which has probability at
most :math:`\sigma_j/|\nabla_j f|` (Markov): :math:`E f(x^+) - f(x) \le -\gamma\|\nabla f\|_1 +
2\gamma\|\sigma\|_1 + \frac{\gamma^2}2\|L\|_1`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition
from theory.theorems.families import SignDescent


@final
@dataclass(frozen=True)
class SignSgd(SignDescent):
    """See the file's docstring for the statement."""

    name = "signsgd"
    title = "signSGD, non-convex"
    source = Source("Bernstein et al.", 2018, "1802.04434", "Theorem 1")
    confidence = Confidence.READ
    needs = ("n", "L_one", "sigma_one", "initial_gap")
    order = Order({"T": -HALF})
    tight = False
    example = Constants(n=1, L_one=9.0, sigma_one=0.0, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return ((c.n == 1, f"one worker must send signs of its own, got n={c.n}"),)

    def noise(self, c: Constants) -> float:
        return c.need("sigma_one")


signsgd = SignSgd()

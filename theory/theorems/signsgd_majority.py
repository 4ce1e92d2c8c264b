r"""signSGD with majority vote.

Bernstein et al. 2018 (arXiv:1802.04434), Theorem 2(b): n workers with one objective send signs, the
server sends the sign of their sum, :math:`x^+ = x - \gamma\,\mathrm{sign}(\sum_i
\mathrm{sign}(g_i))`. If the noise is unimodal and symmetric in every coordinate,

.. math::
   :label: signsgd_majority

   \frac1T \sum_{t<T} E\|\nabla f(x_t)\|_1 \le \frac{\Delta}{\gamma T} + \frac{\gamma\|L\|_1}{2} +
   \frac{2\|\sigma\|_1}{\sqrt n}:

the noise falls as if gradients were averaged. Without that assumption (a) the vote is only known to
be no worse than one worker in the bound, :math:`\|\sigma\|_1` in place of
:math:`\|\sigma\|_1/\sqrt n`.

Proof: with :math:`S = |\nabla_j f|/\sigma_j`, Gauss's inequality bounds the chance q that one sign
is wrong by :math:`\frac2{9S^2}` for :math:`S > 2/\sqrt3`, else by
:math:`\frac12 - \frac S{2\sqrt3}`; with :math:`\epsilon = \frac12 - q`, Cantelli bounds that of the
vote by :math:`\frac1{2\sqrt n}\sqrt{\frac1{4\epsilon^2} - 1} \le \frac1{\sqrt n S}`. Ties,
counted as wrong, are included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.families import SignDescent


@final
@dataclass(frozen=True)
class SignSgdMajority(SignDescent):
    """See the file's docstring for the statement."""

    name = "signsgd_majority"
    title = "signSGD with majority vote, non-convex"
    source = Source("Bernstein et al.", 2018, "1802.04434", "Theorem 2(b)")
    confidence = Confidence.READ
    needs = ("n", "L_one", "sigma_one", "zeta2", "symmetric_noise", "initial_gap")
    order = Order({"T": -HALF})
    tight = False
    example = Constants(
        n=4, L_one=9.0, sigma_one=0.0, zeta2=0.0, symmetric_noise=True, initial_gap=3.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        asked = "the noise must be unimodal and symmetric in every coordinate"
        description = f"{asked}, got symmetric_noise={c.symmetric_noise}"
        return one_objective(c), (c.symmetric_noise is True, description)

    def noise(self, c: Constants) -> float:
        return c.need("sigma_one") / math.sqrt(c.need("n"))


signsgd_majority = SignSgdMajority()

r"""signSGD with majority vote and batches of any size, noise unimodal and symmetric.

Bernstein, Zhao, Azizzadenesheli, Anandkumar 2019 (arXiv:1810.05291) bound one worker's small
batches (Theorem 1) and the vote of batches as large as T (Theorem 2). Derived here for an odd
number n of workers of one objective and batches of any size: with ties out of the way the vote is
right more often than wrong by at least :math:`\frac35 \min(1, \sqrt n \epsilon)`,
:math:`\frac12 - \epsilon` the chance that one sign is wrong. With :math:`s = \frac2{\sqrt3}
\min(1, \frac3{\sqrt n}) \|\sigma\|_1`

.. math::
   :label: signsgd_majority_small_batches

   \frac1T \sum_{t<T} E\|\nabla f(x_t)\|_1 \le \min_{0 < a \le 1/2} \frac{B}{2 a} + \frac{a s}{2}, B
   = \frac53 \Bigl(\frac{\Delta}{\gamma T} + \frac{\gamma \|L\|_1}{2}\Bigr),

which is :math:`\sqrt{B s}` while :math:`4 B \le s`. An even number of workers is not spoken of: a
tie sends +1, whatever the gradient.

Proof: right less wrong, M, has the derivative :math:`2 n \binom{n-1}{(n-1)/2} (\frac14 -
\epsilon^2)^{(n-1)/2}` in :math:`\epsilon`, so that it is concave with M(0) = 0 and
:math:`M(\frac12) = 1`, so that :math:`M \ge 2 \epsilon`, which is what n < 9 rests on; Cantelli
gives :math:`M \ge \frac{4 n \epsilon^2 - 1}{4 n \epsilon^2 + 1}`, which is 3/5 at :math:`\epsilon
= 1/\sqrt n`, for the others. Gauss gives :math:`\epsilon \ge
\min(\frac{S}{2\sqrt3}, \frac13)` with :math:`S = |\nabla_j f|/\sigma_j`. The rest is
``signsgd_small_batches``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.families import SmallBatchSigns


@final
@dataclass(frozen=True)
class SignSgdMajoritySmallBatches(SmallBatchSigns):
    """See the file's docstring for the statement and its derivation."""

    name = "signsgd_majority_small_batches"
    title = "signSGD with majority vote, batches of any size, symmetric noise, non-convex"
    source = Source("Bernstein et al.", 2019, "1810.05291", "Theorem 1; the vote derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_one", "sigma_one", "zeta2", "symmetric_noise", "initial_gap")
    order = Order({"T": Fraction(-1, 4), "n": Fraction(-1, 4)})
    tight = False
    example = Constants(
        n=25, L_one=9.0, sigma_one=400.0, zeta2=0.0, symmetric_noise=True, initial_gap=3.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        asked = "the noise must be unimodal and symmetric in every coordinate"
        odd = c.need("n") % 2 == 1
        return (
            one_objective(c),
            (odd, f"the number of workers must be odd: a tie sends +1, got n={c.n}"),
            (c.symmetric_noise is True, f"{asked}, got symmetric_noise={c.symmetric_noise}"),
        )

    def noise(self, c: Constants) -> float:
        votes = min(1.0, 3 / math.sqrt(c.need("n")))
        return 2 / math.sqrt(3) * votes * c.need("sigma_one")

    def share(self) -> float:
        return 3 / 5


signsgd_majority_small_batches = SignSgdMajoritySmallBatches()

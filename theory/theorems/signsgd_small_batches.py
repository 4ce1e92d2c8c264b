r"""signSGD on one worker with batches of any size, noise unimodal and symmetric.

Bernstein, Zhao, Azizzadenesheli, Anandkumar 2019 (arXiv:1810.05291), Theorem 1, bounds a mean of
:math:`|\nabla_j f|` where it is above :math:`2 \sigma_j/\sqrt3` and of
:math:`(\nabla_j f)^2/\sigma_j` elsewhere, for noise that is unimodal and symmetric in every
coordinate. Both are at least :math:`2 a |\nabla_j f| - a^2 \sigma_j` for :math:`a \le 1/2`, which
bounds the gradient itself; the best a gives

.. math::
   :label: signsgd_small_batches

   \frac1T \sum_{t<T} E\|\nabla f(x_t)\|_1 \le \min_{0 < a \le 1/2} \frac{B}{2 a} + \frac{a
   \|\sigma\|_1}{2}, B = \sqrt3 \Bigl(\frac{\Delta}{\gamma T} + \frac{\gamma \|L\|_1}{2}\Bigr),

which is :math:`\sqrt{B \|\sigma\|_1}` while :math:`4 B \le \|\sigma\|_1`: it falls as
:math:`T^{-1/4}` without batches that grow, where the bound of ``signsgd`` stays above
:math:`2\|\sigma\|_1`.

Proof: with :math:`S = |\nabla_j f|/\sigma_j`, Gauss's inequality bounds the chance of a wrong sign
by :math:`\frac2{9S^2}` for :math:`S > 2/\sqrt3`, else by :math:`\frac12 - \frac S{2\sqrt3}`; a step
lowers f by :math:`\gamma |\nabla_j f|` times 1 less twice that, at least :math:`1/\sqrt3` of what
the theorem's mean has, up to :math:`\frac{\gamma^2}2 \|L\|_1`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.conditions import Condition
from theory.theorems.families import SmallBatchSigns


@final
@dataclass(frozen=True)
class SignSgdSmallBatches(SmallBatchSigns):
    """See the file's docstring for the statement and its derivation."""

    name = "signsgd_small_batches"
    title = "signSGD with batches of any size, symmetric noise, non-convex"
    source = Source("Bernstein et al.", 2019, "1810.05291", "Theorem 1, gradient derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L_one", "sigma_one", "symmetric_noise", "initial_gap")
    order = Order({"T": Fraction(-1, 4)})
    tight = False
    example = Constants(n=1, L_one=9.0, sigma_one=400.0, symmetric_noise=True, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        asked = "the noise must be unimodal and symmetric in every coordinate"
        return (
            (c.n == 1, f"one worker must send signs of its own, got n={c.n}"),
            (c.symmetric_noise is True, f"{asked}, got symmetric_noise={c.symmetric_noise}"),
        )

    def noise(self, c: Constants) -> float:
        return c.need("sigma_one")

    def share(self) -> float:
        return 1 / math.sqrt(3)


signsgd_small_batches = SignSgdSmallBatches()

r"""Push-sum by uniform gossip: the exact contraction of what sums are apart from weights.

Kempe, Dobra, Gehrke 2003 (FOCS), Protocol Push-Sum: every worker keeps half of its sum and weight
and sends half to one of the other n - 1 at random. They bound the diffusion speed to order; the
factor is derived here. With :math:`u_i = s_i - \bar x w_i`, whose sum is 0,

.. math::
   :label: push_sum_uniform

   E \sum_i \|u_{i,t}\|^2 \le \left(\frac14 - \frac1{2(n-1)} + \frac14\left(1 -
   \frac{n-2}{(n-1)^2}\right)\right)^t \sum_i \|x_i - \bar x\|^2,

with equality: receivers are drawn apart from all that happened before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric
from theory.theorems.conditions import Condition
from theory.theorems.families import WholeStep


@final
@dataclass(frozen=True)
class PushSumUniform(WholeStep):
    """See the file's docstring for the statement and its derivation."""

    name = "push_sum_uniform"
    title = "Push-sum by uniform gossip, exact contraction"
    source = Source("Kempe, Dobra, Gehrke", 2003, "", "FOCS, Protocol Push-Sum; derived here")
    confidence = Confidence.DERIVED
    metric = Metric.PUSH_SUM_POTENTIAL
    needs = ("n", "initial_potential")
    tight = True
    example = Constants(n=4, initial_potential=11.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return ((c.need("n") >= 2, f"there must be somebody to send to, got n={c.n}"),)

    def factor(self, c: Constants) -> float:
        """Contraction factor of the potential per round."""
        others = c.need("n") - 1
        return 1 / 4 - 1 / (2 * others) + (1 - (others - 1) / others**2) / 4

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        return np.asarray(self.factor(c) ** times * c.need("initial_potential"))


push_sum_uniform = PushSumUniform()

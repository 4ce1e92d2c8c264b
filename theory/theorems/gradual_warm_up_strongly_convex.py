r"""Mini-batch SGD whose stepsize grows to k times the base stepsize, strongly convex.

One step of Bottou, Curtis, Nocedal 2018 (arXiv:1606.04838), Theorem 4.6, with the stepsize of that
step; gradual warm-up of Goyal et al. 2017 (arXiv:1706.02677, section 2.2) to the linearly scaled
stepsize: :math:`\gamma_t = \gamma (1 + (k - 1) \min(1, t/W))`, variance :math:`\sigma^2` of a
worker's batch, large as it is:

.. math::
   :label: gradual_warm_up_strongly_convex

   k \gamma \le \frac1L \Rightarrow E\|x_{t+1} - x^*\|^2 \le (1 - \gamma_t (2 - \gamma_t L) \mu)
   E\|x_t - x^*\|^2 + \frac{\gamma_t^2 \sigma^2}{n},

iterated from :math:`R^2`; after the warm-up it is a geometric series. The stepsize prescribed has
k = 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep, GradualWarmUpStep
from theory.theorems.families import WarmedUp

_TIMES, _LONGEST = 8.0, 100  # at most so many steps, where a tenth of the horizon is longer


@final
@dataclass(frozen=True)
class GradualWarmUpStronglyConvex(WarmedUp[GradualWarmUpStep]):
    """See the file's docstring for the statement and its derivation."""

    name = "gradual_warm_up_strongly_convex"
    title = "Mini-batch SGD with a gradual warm-up, strongly convex"
    source = Source("Bottou, Curtis, Nocedal", 2018, "1606.04838", "a step of Theorem 4.6")
    confidence = Confidence.DERIVED
    kind = GradualWarmUpStep
    wanted = "a constant stepsize warmed up to a multiple of it"
    needs = ("n", "L", "mu", "sigma2", "R2")
    tight = False
    example = Constants(n=4, L=2.0, mu=0.5, sigma2=5.0, R2=6.0)

    def prescribed(self, c: Constants, horizon: int) -> GradualWarmUpStep:
        length = min(max(1, horizon // 10), _LONGEST)
        return GradualWarmUpStep(ConstantStep(1 / (_TIMES * c.need("L"))), _TIMES, length)


gradual_warm_up_strongly_convex = GradualWarmUpStronglyConvex()

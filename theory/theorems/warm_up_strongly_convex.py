r"""Mini-batch SGD whose stepsize is warmed up from 0, strongly convex.

One step of Bottou, Curtis, Nocedal 2018 (arXiv:1606.04838), Theorem 4.6, with the stepsize of that
step; the warm-up is that of You et al. 2019 (arXiv:1901.08433, LEGW) and Goyal et al. 2017
(arXiv:1706.02677). :math:`\gamma_t = \gamma \min(1, (t+1)/W)`, variance :math:`\sigma^2` of a
worker's batch, large as it is:

.. math::
   :label: warm_up_strongly_convex

   \gamma_t \le \frac1L \Rightarrow E\|x_{t+1} - x^*\|^2 \le (1 - \gamma_t (2 - \gamma_t L) \mu)
   E\|x_t - x^*\|^2 + \frac{\gamma_t^2 \sigma^2}{n},

iterated from :math:`R^2`; after the warm-up it is a geometric series.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep, WarmUpStep
from theory.theorems.families import WarmedUp

_LONGEST = 100  # steps, where a tenth of the horizon is longer


@final
@dataclass(frozen=True)
class WarmUpStronglyConvex(WarmedUp[WarmUpStep]):
    """See the file's docstring for the statement and its derivation."""

    name = "warm_up_strongly_convex"
    title = "Mini-batch SGD with a warm-up from 0, strongly convex"
    source = Source("Bottou, Curtis, Nocedal", 2018, "1606.04838", "a step of Theorem 4.6")
    confidence = Confidence.DERIVED
    kind = WarmUpStep
    wanted = "a constant stepsize warmed up from 0"
    needs = ("n", "L", "mu", "sigma2", "R2")
    tight = False
    example = Constants(n=4, L=2.0, mu=0.5, sigma2=5.0, R2=6.0)

    def prescribed(self, c: Constants, horizon: int) -> WarmUpStep:
        length = min(max(1, horizon // 10), _LONGEST)
        return WarmUpStep(ConstantStep(1 / c.need("L")), length)


warm_up_strongly_convex = WarmUpStronglyConvex()

r"""Randomised gossip: linear convergence in mean square.

Boyd, Ghosh, Prabhakar, Shah 2006 (IEEE Trans. Inf. Theory 52(6), Theorem 3 and its proof): W_t is
drawn independently at every tick. With z the deviation from the mean, which every doubly stochastic
W_t keeps,

.. math:: E\|W_t z\|^2 = z^T E[W^T W] z \le \lambda_2(E[W^T W]) \|z\|^2,

so

.. math::
   :label: randomised_gossip

   E\sum_i \|x_i^t - \bar x\|^2 \le \lambda_2(E[W^T W])^t \sum_i \|x_i^0 - \bar x\|^2.

``lam`` squared is that eigenvalue. Where pairs take their mean W is an
orthogonal projection, :math:`W^T W = W`, and the eigenvalue is :math:`\lambda_2(E W)`; on the
complete graph that is :math:`1 - 1/(n-1)` and all of it is equality.

There is no gradient step: ``stepsize`` is 1, the part of the way that a meeting goes to its mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.families import WholeStep


@final
@dataclass(frozen=True)
class RandomisedGossip(WholeStep):
    """See the file's docstring for the statement."""

    name = "randomised_gossip"
    title = "Randomised gossip, linear contraction in mean square"
    source = Source("Boyd, Ghosh, Prabhakar, Shah", 2006, "", "Theorem 3")
    confidence = Confidence.CERTAIN
    needs = ("lam", "initial_potential")
    tight = False
    example = Constants(lam=0.6, initial_potential=11.0)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        return np.asarray(c.need("lam") ** (2 * times) * c.need("initial_potential"))


def averaging_times(lam_square: float, eps: float) -> tuple[float, float]:
    """Ticks between which the eps-averaging time lies, for lam_square = lambda_2(E W) < 1.

    It is the least t with P(||x^t - xbar|| >= eps ||x^0||) <= eps for every x^0; the two are a
    factor 6 apart (Theorem 3).
    """
    unit = math.log(1 / eps) / math.log(1 / lam_square)
    return 0.5 * unit, 3 * unit


randomised_gossip = RandomisedGossip()

r"""Averaging by linear iterations: the contraction of x <- W x.

Xiao, Boyd 2004 (Systems and Control Letters 53), Theorem 1. Rows and columns of W sum to 1,
:math:`J = \frac1n 1 1^T` and :math:`\lambda = \|W - J\|_2 < 1`. Since :math:`W^t - J = (W - J)^t`,

.. math::
   :label: gossip_averaging

   \sum_i \|x_i^t - \bar x\|^2 \le \|W - J\|_2^{2t} \sum_i \|x_i^0 - \bar x\|^2,

with equality on the eigenvector of the eigenvalue of modulus lambda where W is symmetric. Weights
may be negative. The symmetric W of least lambda on a graph is a semidefinite program (FDLA); among
those of one weight for all edges :math:`2/(l_1 + l_{n-1})` is best, l the eigenvalues of the
graph's Laplacian, with :math:`\lambda = (l_1 - l_{n-1})/(l_1 + l_{n-1})`.

There is no gradient step: ``stepsize`` is 1, the part of the way from x to W x that is gone.
"""

from __future__ import annotations

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
class GossipAveragingTheorem(WholeStep):
    """See the file's docstring for the statement."""

    name = "gossip_averaging"
    title = "Linear iterations for averaging, contraction by lambda"
    source = Source("Xiao, Boyd", 2004, "", "Theorem 1")
    confidence = Confidence.DERIVED
    needs = ("lam", "initial_potential")
    tight = True
    example = Constants(lam=0.6, initial_potential=11.0)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        return np.asarray(c.need("lam") ** (2 * times) * c.need("initial_potential"))


gossip_averaging = GossipAveragingTheorem()

r"""Compensating quantised gossip: linear contraction to a level set by the quantiser.

Carli, Fagnani, Frasca, Zampieri 2010 (Automatica 46(1), arXiv:0907.0748) study the rule; the bound
is derived here. Workers that meet take :math:`x_i - w Q(x_i) + w Q(x_j)`, that is
:math:`x^{t+1} = W_t x^t + (W_t - I) e^t` with :math:`e_i = Q(x_i) - x_i`. For doubly stochastic W_t
drawn independently, or one W for all rounds (Q2-G: Carli, Fagnani, Speranzon, Zampieri 2008,
Automatica 44(3)), and Q unbiased with independent errors of :math:`E\|e_i\|^2 \le v`, the mean is
kept and with z the deviation from it

.. math:: E\|z^{t+1}\|^2 \le \lambda^2 \|z^t\|^2 + v\, E\|W - I\|_F^2,

:math:`\lambda^2 = \lambda_2(E[W^T W])`, so that

.. math::
   :label: quantised_consensus

   E\sum_i \|x_i^t - \bar x\|^2 \le \lambda^{2t} \sum_i \|x_i^0 - \bar x\|^2 + b \frac{1 -
   \lambda^{2t}}{1 - \lambda^2}, \quad b = v\, E\|W - I\|_F^2.

b is v where one pair takes its mean. On the complete graph with errors of exactly v all of it is
equality.

There is no gradient step: ``stepsize`` is 1. ``absolute_error`` is b, what a tick's errors add.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Order
from theory.theorems.families import WholeStep


@final
@dataclass(frozen=True)
class QuantisedConsensusTheorem(WholeStep):
    """See the file's docstring for the statement."""

    name = "quantised_consensus"
    title = "Compensating quantised gossip, down to the quantiser's level"
    source = Source("Carli, Fagnani, Frasca, Zampieri", 2010, "0907.0748", "derived here")
    confidence = Confidence.DERIVED
    needs = ("lam", "absolute_error", "initial_potential")
    order = Order({"gap": -1})
    tight = False
    example = Constants(lam=0.6, absolute_error=0.3, initial_potential=11.0)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        square = c.need("lam") ** 2
        left = square**times
        level = c.need("absolute_error") / (1 - square)
        return np.asarray(left * c.need("initial_potential") + (1 - left) * level)


quantised_consensus = QuantisedConsensusTheorem()

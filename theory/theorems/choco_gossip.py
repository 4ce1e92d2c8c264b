r"""CHOCO-Gossip: linear convergence of compressed averaging.

Koloskova, Stich, Jaggi 2019 (arXiv:1902.00340), Theorem 2. W symmetric and doubly stochastic with
spectral gap :math:`p = 1 - \lambda`, :math:`\beta = \|I - W\|_2`; Q a contraction of quality delta
(the paper's omega). With the consensus stepsize

.. math:: \gamma = \frac{p \delta}{16 p + p^2 + 4\beta^2 + 2 p \beta^2 - 8 p \delta}

the potential :math:`e_t = E \sum_i \|x_i^t - \bar x\|^2 + \|x_i^t - \hat x_i^t\|^2` obeys, t being
the number of rounds,

.. math::
   :label: choco_gossip

   e_t \le (1 - p^2\delta/82)^t e_0.

The numerator is :math:`p\delta`. With :math:`p^2\delta`, as Theorem 4.1 of the later paper
(arXiv:1907.09356) prints it beside the same rate, that rate would not hold: for Q = I the slowest
mode contracts by exactly :math:`1 - \gamma p` a round, and on a ring of 32 workers
:math:`(1 - \gamma p)^2 > 1 - p^2/82`.

Derivation: with u = ||X - Xbar||, v = ||X - Xhat|| in L2 and s = sqrt(1 - delta),
:math:`u' \le (1 - \gamma p) u + \gamma\beta s v` and
:math:`v' \le \gamma\beta u + (1 + \gamma\beta) s v`, so one round multiplies u^2 + v^2 by at most
the squared norm of that 2 by 2 matrix, which is below :math:`1 - p^2\delta/82` for
:math:`0 < p \le 1`, :math:`0 \le \beta \le 2`, :math:`0 < \delta \le 1`.

There is no gradient step: ``stepsize`` is the consensus stepsize, and the order in T is none, the
convergence being linear (``rate`` per round).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric, Order
from theory.theorems.conditions import Condition, connected, decay, equal, symmetric
from theory.theorems.kinds import ConstantStepTheorem


def consensus_stepsize(c: Constants) -> float:
    """gamma of Theorem 2, a pure number, from lam, beta and delta.

    Raises:
        MissingConstants: one of them is not stated.
    """
    gap, beta, delta = 1 - c.need("lam"), c.need("beta"), c.need("delta")
    below = 16 * gap + gap**2 + 4 * beta**2 + 2 * gap * beta**2 - 8 * gap * delta
    return gap * delta / below


def consensus_rate(c: Constants) -> float:
    """p^2 delta / 82: the part of the potential lost per round at the prescribed stepsize."""
    return (1 - c.need("lam")) ** 2 * c.need("delta") / 82


def at_consensus_stepsize(c: Constants) -> tuple[Condition, ...]:
    """The condition that a method whose consensus stepsize is stated averages by that of the
    theorem; nothing where none is.
    """
    if c.consensus_step is None:
        return ()
    wanted = consensus_stepsize(c)
    return (equal("consensus_step", c.consensus_step, wanted, "the prescribed one"),)


@final
@dataclass(frozen=True)
class ChocoGossipTheorem(ConstantStepTheorem):
    """See the file's docstring for the statement."""

    name = "choco_gossip"
    title = "CHOCO-Gossip, linear contraction of the potential"
    source = Source("Koloskova, Stich, Jaggi", 2019, "1902.00340", "Theorem 2")
    confidence = Confidence.DERIVED
    needs = ("lam", "beta", "delta", "initial_potential")
    metric = Metric.CONSENSUS_POTENTIAL
    order = Order({}, linear=True)
    tight = False
    example = Constants(lam=0.6, beta=1.2, delta=0.25, initial_potential=11.0)

    def consensus_stepsize(self, c: Constants) -> float:
        """The prescribed gamma, a pure number."""
        return consensus_stepsize(c)

    def rate(self, c: Constants) -> float:
        """p^2 delta / 82 per round."""
        return consensus_rate(c)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return connected(c), symmetric(c), *at_consensus_stepsize(c)

    def conditions(self, c: Constants, step: ConstantStep) -> tuple[Condition, ...]:
        return (equal("gamma", step.gamma, consensus_stepsize(c), "the prescribed one"),)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return ConstantStep(consensus_stepsize(c))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        return decay(consensus_rate(c), times) * c.need("initial_potential")


choco_gossip = ChocoGossipTheorem()

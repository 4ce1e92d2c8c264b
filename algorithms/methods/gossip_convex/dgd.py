"""DGD: distributed (sub)gradient descent."""

from __future__ import annotations

from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.parts.gradients import Full
from algorithms.topologies.base import Topology
from theory.stepsizes import Stepsize


def dgd(step_rule: Stepsize, topology: Topology) -> DPSGD:
    r"""x_i^{t+1} = \sum_j W_{ij} x_j^t - \gamma_t \nabla f_i(x_i^t): D-PSGD without noise.

    Nedic, Ozdaglar 2009 (IEEE TAC 54(1)), Eq. 3, for subgradients. A constant stepsize reaches a
    neighbourhood of size O(gamma / gap) and stays there; one that vanishes reaches the optimum.
    """
    return DPSGD(step_rule, topology, Full())

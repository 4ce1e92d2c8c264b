"""Projected DGD: distributed stochastic subgradient projection."""

from __future__ import annotations

from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.parts.gradients import Gradients, Sampled
from algorithms.sets.base import ConvexSet
from algorithms.sets.geometry import Euclidean
from algorithms.topologies.base import Topology
from theory.stepsizes import Stepsize


def projected_dgd(
    step_rule: Stepsize, topology: Topology, domain: ConvexSet, gradients: Gradients | None = None
) -> MirrorDescent:
    r"""v_i = \sum_j W_{ij} x_j, x_i^+ = \Pi_X[v_i - \gamma_t (\nabla f_i(v_i) + \epsilon_i)].

    Ram, Nedic, Veeravalli 2010 (arXiv:0811.2595), Eq. 2: mirror descent in the Euclidean distance.
    ``gradients``: the problem's stochastic ones by default.
    """
    return MirrorDescent(step_rule, topology, Euclidean(domain), gradients or Sampled())

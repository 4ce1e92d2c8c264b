"""Decentralised mirror descent: neighbours' average, then a step in the geometry of the set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

from torch import Tensor

from algorithms.methods.base import Method, World
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.gradients import Gradients, Sampled
from algorithms.problems.base import Problem
from algorithms.sets.geometry import Euclidean, Geometry
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class MirrorState(NamedTuple):
    """Each worker's model ``[..., m, d]``.

    Attributes:
        x: the models ``[..., m, d]``.
    """

    x: Tensor


@final
@dataclass(frozen=True)
class MirrorDescent(Method[MirrorState]):
    r"""v_i = \sum_j W_{ij} x_j, x_i^+ = \arg\min_{u \in X} \gamma_t \langle g_i(v_i), u \rangle
    + D(u, v_i).

    Rabbat 2015 (IEEE CAMSAP, multi-agent mirror descent). The gradient is taken at the mixed point,
    as in its Euclidean form, the projected method of Ram, Nedic, Veeravalli 2010, see
    :func:`algorithms.methods.gossip_convex.projected_dgd.projected_dgd`. A mixed point lies in X,
    which is convex.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: who hears whom, and the mixing matrices W.
        geometry: the Bregman divergence D of the steps and the set X that models stay in.
        gradients: which gradients are taken, stochastic or exact.
    """

    step_rule: Stepsize
    topology: Topology
    geometry: Geometry = field(default_factory=Euclidean)
    gradients: Gradients = field(default_factory=Sampled)

    @property
    def name(self) -> str:
        where = self.geometry.name
        return f"mirror descent, {where}, {self.topology.name}{self.gradients.note}"

    def constants(self, problem: Problem) -> Constants:
        own = self.geometry.within(self.gradients.constants(problem), problem)
        return own.merge(self.topology.each_step())

    def init(self, x0: Tensor, world: World) -> MirrorState:
        check_size(self.topology, world)
        return MirrorState(self.geometry.start(world.rows(x0, len(world.network.workers))))

    def step(self, state: MirrorState, t: int, world: World) -> MirrorState:
        mixed = world.mixed(state.x, self.topology.neighbours(t), t)
        g = self.gradients.at(mixed, t, world)
        return MirrorState(self.geometry.step(mixed, g, self.step_rule(t)))

    def models(self, state: MirrorState) -> Tensor:
        return state.x

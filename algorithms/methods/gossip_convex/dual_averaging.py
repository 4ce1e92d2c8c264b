"""Distributed dual averaging: sums of gradients are mixed, models follow from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled_onto
from algorithms.methods.base import Method, World
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.gradients import Gradients, Sampled
from algorithms.problems.base import Problem
from algorithms.sets.geometry import Euclidean, Geometry
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class DualAveragingState(NamedTuple):
    """Models x, mixed sums of gradients z, the start: ``[..., m, d]``."""

    x: Tensor
    z: Tensor
    start: Tensor


@final
@dataclass(frozen=True)
class DualAveraging(Method[DualAveragingState]):
    r"""z_i^+ = \sum_j W_{ij} z_j + g_i(x_i), x_i^+ = \arg\min_{u \in X} \langle z_i^+, u \rangle
    + \psi(u) / \alpha_t, \psi = D(\cdot, x_0).

    Duchi, Agarwal, Wainwright 2012 (arXiv:1005.2012), Eq. 5 and 6; alpha_t is the stepsize of
    step t and must not increase. The theorem speaks of each worker's running average of models.

    Attributes:
        step_rule: the factors \alpha_t [x^2 / f] by step t, which must not increase.
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
        return f"dual averaging, {where}, {self.topology.name}{self.gradients.note}"

    def constants(self, problem: Problem) -> Constants:
        own = self.geometry.within(self.gradients.constants(problem), problem)
        return own.merge(self.topology.each_step())

    def init(self, x0: Tensor, world: World) -> DualAveragingState:
        check_size(self.topology, world)
        start = self.geometry.start(world.rows(x0, len(world.network.workers)))
        return DualAveragingState(start, torch.zeros_like(start), start)

    def step(self, state: DualAveragingState, t: int, world: World) -> DualAveragingState:
        g = self.gradients.at(state.x, t, world)
        mixed = world.mixed(state.z, self.topology.neighbours(t), t)
        z = add_scaled_onto(mixed, 1.0, g)
        return DualAveragingState(
            self.geometry.step(state.start, z, self.step_rule(t)), z, state.start
        )

    def models(self, state: DualAveragingState) -> Tensor:
        return state.x

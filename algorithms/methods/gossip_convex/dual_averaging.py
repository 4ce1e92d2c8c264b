"""Distributed dual averaging: sums of gradients are mixed, models follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.kernels.row_parts import published
from algorithms.kernels.scaled_sum import add_scaled_onto
from algorithms.methods.base import RunContext
from algorithms.methods.parts.bregman_steps import BregmanSteps
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    Register,
    changed,
    gradient,
    mixed,
    plus_scaled,
)


class DualAveragingState(NamedTuple):
    """Models x, mixed sums of gradients z, the start: ``[..., m, d]``."""

    x: Tensor
    z: Tensor
    start: Tensor


@final
@dataclass(frozen=True)
class DualAveraging(BregmanSteps[DualAveragingState]):
    r"""z_i^+ = \sum_j W_{ij} z_j + g_i(x_i), x_i^+ = \arg\min_{u \in X} \langle z_i^+, u \rangle
    + \psi(u) / \alpha_t, \psi = D(\cdot, x_0).

    Duchi, Agarwal, Wainwright 2012 (arXiv:1005.2012), Eq. 5 and 6; alpha_t is the stepsize of
    step t and must not increase. The theorem speaks of each worker's running average of models.
    """

    kind = "dual averaging"

    def init(self, x0: Tensor, context: RunContext) -> DualAveragingState:
        check_size(self.topology, context)
        start = self.geometry.start(context.rows(x0, len(context.network.workers)))
        return DualAveragingState(start, torch.zeros_like(start), start)

    def step(self, state: DualAveragingState, t: int, context: RunContext) -> DualAveragingState:
        g = self.gradients.compute(state.x, t, context)
        mixed = context.mixed(state.z, self.topology.neighbours(t), t)
        z = add_scaled_onto(mixed, 1.0, g)
        return DualAveragingState(
            self.geometry.step(state.start, z, self.step_rule(t)), z, state.start
        )

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, z, start, g, ahead = Register(), Register(), Register(), Register(), Register()
        descent = plus_scaled(x, start, lambda s: -self.step_rule(s), ahead), changed(x)
        change = published(self.geometry, context.problem.d, context.problem.dtype)
        step = (gradient(g, x), mixed(ahead, z), plus_scaled(ahead, ahead, 1.0, g))
        program = Program((*step, *descent), swaps=((z, ahead),))
        links, drawn = FixedLists.from_topology(self.topology), self.gradients.row_kernel(context)
        plan = NeighbourPlan((x, z, start), (program,), links, drawn, change=change)
        return neighbour_block(context, t, plan)

    def models(self, state: DualAveragingState) -> Tensor:
        return state.x

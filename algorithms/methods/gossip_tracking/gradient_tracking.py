"""Gradient tracking: a second vector follows the mean gradient, so that no bias is left."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    add,
    copy,
    gradient,
    mixed,
    plus_scaled,
    subtract,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class TrackingState(NamedTuple):
    r"""Models X^t, and of the step before the trackers Y^{t-1} and the gradients they hold.

    Attributes:
        x: the models ``[..., m, d]``.
        y: the trackers Y^{t-1} ``[..., m, d]``, at the start 0.
        g: the gradients G^{t-1} ``[..., m, d]``, at the start 0.
    """

    x: Tensor
    y: Tensor
    g: Tensor


class StepOrder(Enum):
    """Order of the two halves of a step."""

    COMBINE_FIRST = "DIGing"
    """X^{t+1} = W X^t - \\gamma Y^t, Y^t = W Y^{t-1} + G^t - G^{t-1}."""

    ADAPT_FIRST = "ATC tracking"
    """X^{t+1} = W (X^t - \\gamma Y^t), Y^t = W (Y^{t-1} + G^t - G^{t-1})."""


@final
@dataclass(frozen=True)
class GradientTracking(Method[TrackingState]):
    r"""Y^0 = G^0, and by ``order`` either X^{t+1} = W X^t - \gamma_t Y^t,
    Y^t = W Y^{t-1} + G^t - G^{t-1} (DIGing: Nedic, Olshevsky, Shi 2016, arXiv:1607.03218,
    Algorithm 1; with stochastic gradients DSGT: Pu, Nedic 2018, arXiv:1805.11454) or
    X^{t+1} = W (X^t - \gamma_t Y^t), Y^t = W (Y^{t-1} + G^t - G^{t-1}) (Aug-DGM: Xu, Zhu, Soh,
    Xie 2015, CDC).

    A step opens with the tracker, so that it takes one gradient: G^t and G^{t-1} come from
    different samples, and the one that is kept is the one that was used. The mean of Y^t is that
    of G^t always, whatever W. Two messages a link and step, one at the first.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrices W, which may change with time.
        order: which half of a step comes first.
    """

    step_rule: Stepsize
    topology: Topology
    order: StepOrder = StepOrder.COMBINE_FIRST

    @property
    def name(self) -> str:
        return f"{self.order.value}, {self.topology.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().merge(self.topology.each_step())

    def init(self, x0: Tensor, context: RunContext) -> TrackingState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return TrackingState(x, torch.zeros_like(x), torch.zeros_like(x))

    def step(self, state: TrackingState, t: int, context: RunContext) -> TrackingState:
        g = context.gradient(state.x, t)
        around = self.topology.neighbours(t)
        y = g if t == 0 else self._tracked(state, g, t, context)
        if self.order is StepOrder.ADAPT_FIRST:
            return TrackingState(
                context.mixed(add_scaled(state.x, -self.step_rule(t), y), around, t), y, g
            )
        mixed_models = context.mixed(state.x, around, t)
        return TrackingState(add_scaled(mixed_models, -self.step_rule(t), y), y, g)

    def _tracked(self, state: TrackingState, g: Tensor, t: int, context: RunContext) -> Tensor:
        around = self.topology.neighbours(t)
        if self.order is StepOrder.ADAPT_FIRST:
            return context.mixed(state.y + (g - state.g), around, t, purpose="tracker")
        return context.mixed(state.y, around, t, purpose="tracker") + (g - state.g)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, y, old = Register(), Register(), Register()
        g, ahead, incoming, change = Register(), Register(), Register(), Register()
        descend = plus_scaled(ahead, x, lambda s: -self.step_rule(s), y)
        moved: tuple[Operation, ...] = (descend, mixed(x, ahead))
        followed: tuple[Operation, ...] = (add(incoming, y, change), mixed(y, incoming))
        swaps: tuple[tuple[Register, Register], ...] = ()
        if self.order is StepOrder.COMBINE_FIRST:
            moved = mixed(ahead, x), plus_scaled(ahead, ahead, lambda s: -self.step_rule(s), y)
            followed, swaps = (mixed(incoming, y), add(y, incoming, change)), ((x, ahead),)
        first = Program((gradient(g, x), copy(old, g), copy(y, g), *moved), swaps)
        opened = gradient(g, x), subtract(change, g, old), copy(old, g)
        later = Program((*opened, *followed, *moved), swaps)
        plan = NeighbourPlan(
            (x, y, old), (first, later), FixedLists.from_topology(self.topology),
            drawn_gradient(context), program=lambda s: min(s, 1),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: TrackingState) -> Tensor:
        return state.x

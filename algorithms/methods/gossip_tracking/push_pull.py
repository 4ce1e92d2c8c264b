"""Push-pull (AB): models are averaged by rows, trackers are pushed by columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip_tracking.gradient_tracking import TrackingState
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    add,
    copy,
    gradient,
    mixed,
    plus_scaled,
    registers,
    subtract,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import MixingSequence
from theory.constants import Constants
from theory.stepsizes import Stepsize


@final
@dataclass(frozen=True)
class PushPull(Method[TrackingState]):
    r"""Y^0 = G^0, X^{t+1} = R (X^t - \gamma_t Y^t), Y^{t+1} = C Y^t + G^{t+1} - G^t. (Xin, Khan
    2018, IEEE Control Systems Letters 2(3): AB; Pu, Shi, Xu, Nedic 2018, arXiv:1810.06653.)

    Rows of R sum to 1, so that equal models stay; columns of C do, so that sum Y = sum G always. No
    worker need know how many hear it on the way of the models, and neither matrix is doubly
    stochastic. A step opens with the tracker. Two messages a step, one at the first.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        pull: the matrices R, rows that sum to 1.
        push: the matrices C, columns that sum to 1.

    Raises:
        ValueError: matrices over different numbers of workers.
    """

    step_rule: Stepsize
    pull: MixingSequence
    push: MixingSequence

    def __post_init__(self) -> None:
        if self.pull.n != self.push.n:
            raise ValueError(
                f"pull and push must be over the same workers, got n={self.pull.n} and "
                f"n={self.push.n}; two matrices of one digraph would do"
            )

    @property
    def name(self) -> str:
        return f"push-pull, {self.pull.name}, {self.push.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().state(n=self.push.n)

    def init(self, x0: Tensor, context: RunContext) -> TrackingState:
        check_size(self.pull, context, "pull")
        x = context.rows(x0, len(context.network.workers))
        return TrackingState(x, torch.zeros_like(x), torch.zeros_like(x))

    def step(self, state: TrackingState, t: int, context: RunContext) -> TrackingState:
        g = y = context.gradient(state.x, t)
        if t:
            pushed = context.mixed(state.y, self.push.neighbours(t), t, purpose="tracker")
            y = pushed + (g - state.g)
        ahead = add_scaled(state.x, -self.step_rule(t), y)
        return TrackingState(context.mixed(ahead, self.pull.neighbours(t), t), y, g)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, y, g, new, change, ahead, tracked = registers(7)
        first = (gradient(g, x), copy(y, g))
        later = (
            gradient(new, x),
            mixed(tracked, y, link=1),
            subtract(change, new, g),
            add(tracked, tracked, change),
            copy(g, new),
            copy(y, tracked),
        )
        onward = plus_scaled(ahead, x, lambda s: -self.step_rule(s), y), mixed(x, ahead)
        plan = NeighbourPlan(
            (x, y, g), (Program((*first, *onward)), Program((*later, *onward))),
            FixedLists.from_topology(self.pull), drawn_gradient(context),
            program=lambda s: int(s > 0),
            further_links=(FixedLists.from_topology(self.push),),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: TrackingState) -> Tensor:
        return state.x

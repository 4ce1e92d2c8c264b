"""Push-DIGing: gradient tracking over directed links, by push-sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.push import unit_weights
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    Register,
    add,
    copy,
    gradient,
    mixed,
    plus_scaled,
    ratio,
    registers,
    subtract,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import MixingSequence
from theory.constants import Constants
from theory.stepsizes import Stepsize


class PushDIGingState(NamedTuple):
    """Sums u with weights v, and trackers as they were heard.

    Attributes:
        u: the sums ``[..., m, d]``, whose ratios to v are the models.
        v: the weights ``[..., m, 1]``.
        y: C Y of the step before ``[..., m, d]``, at the start 0.
        g: the gradients that y holds ``[..., m, d]``, at the start 0.
    """

    u: Tensor
    v: Tensor
    y: Tensor
    g: Tensor


@final
@dataclass(frozen=True)
class PushDIGing(Method[PushDIGingState]):
    r"""Y^0 = G^0, U^{t+1} = C_t (U^t - \gamma_t Y^t), v^{t+1} = C_t v^t, X = U / v,
    Y^{t+1} = C_t Y^t + G^{t+1} - G^t. (Nedic, Olshevsky, Shi 2016, arXiv:1607.03218, Algorithm 2.)

    Columns of C_t sum to 1, so that sum v = n and sum Y = sum G always, over links of one direction
    that may change with time. One message of 2 d + 1 numbers a link and step.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the matrices C_t, columns that sum to 1.
    """

    step_rule: Stepsize
    topology: MixingSequence

    @property
    def name(self) -> str:
        return f"Push-DIGing, {self.topology.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().state(n=self.topology.n)

    def init(self, x0: Tensor, context: RunContext) -> PushDIGingState:
        check_size(self.topology, context)
        u = context.rows(x0, len(context.network.workers))
        return PushDIGingState(u, unit_weights(u), torch.zeros_like(u), torch.zeros_like(u))

    def step(self, state: PushDIGingState, t: int, context: RunContext) -> PushDIGingState:
        g = context.gradient(self.models(state), t)
        y = state.y + (g - state.g)
        ahead = add_scaled(state.u, -self.step_rule(t), y)
        told = torch.cat((ahead, y, state.v), dim=-1)
        incoming, d = FixedLinks(self.topology).mixed(told, t, context), g.shape[-1]
        parts = incoming[..., :d], incoming[..., 2 * d :], incoming[..., d : 2 * d]
        u, v, tracked = (part.contiguous() for part in parts)
        return PushDIGingState(u, v, tracked, g)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        (u, y, old, g, z, ahead), v, after = registers(6), Register(True), Register(True)
        step = Program(
            (
                ratio(z, u, v),
                gradient(g, z),
                subtract(z, g, old),
                add(z, y, z),
                plus_scaled(ahead, u, lambda s: -self.step_rule(s), z),
                copy(old, g),
                mixed(u, ahead),
                mixed(y, z, None),
                mixed(after, v),
            ),
            ((v, after),),
        )
        plan = NeighbourPlan(
            (u, v, y, old), (step,), FixedLinks(self.topology).links(), drawn_gradient(context),
            numbers_sent=2 * context.problem.d + 1,
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: PushDIGingState) -> Tensor:
        return state.u / state.v

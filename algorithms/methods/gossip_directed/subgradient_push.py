"""Subgradient-push: push-sum first, then a gradient step at the ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled_onto
from algorithms.methods.base import RunContext
from algorithms.methods.parts.push import GradientPush, push, ratio, start
from algorithms.pipeline import row_programs
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, gradient, mixed, plus_scaled


class SubgradientPushState(NamedTuple):
    """x ``[..., m, d]``, weights w ``[..., m, 1]`` and the ratios z ``[..., m, d]``.

    Attributes:
        s: the biased models x, before division by w ``[..., m, d]``.
    """

    s: Tensor
    w: Tensor
    z: Tensor


@final
@dataclass(frozen=True)
class SubgradientPush(GradientPush[SubgradientPushState]):
    r"""x \leftarrow P_t x - \gamma_t g(z), w \leftarrow P_t w, z = (P_t x) / (P_t w). (Nedic,
    Olshevsky 2016, IEEE TAC, arXiv:1406.2075, Eqs. 2a-2d.)

    Links may be directed and change with time; f need not have gradients, subgradients do.
    ``models`` are the z_i, at which the gradients are taken. SGP takes the same two half-steps in
    the other order, so that without noise both stop at the same z.
    """

    kind = "subgradient-push"

    def init(self, x0: Tensor, context: RunContext) -> SubgradientPushState:
        s, w = start(x0, self.exchange, context)
        return SubgradientPushState(s, w, s)

    def step(
        self, state: SubgradientPushState, t: int, context: RunContext
    ) -> SubgradientPushState:
        mixed = push(state.s, state.w, self.exchange, t, context)
        z = ratio(mixed)
        s = add_scaled_onto(mixed.s, -self.step_rule(t), context.gradient(z, t))
        return SubgradientPushState(s, mixed.w, z)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        s, w, z, g, moved, ahead = (
            Register(),
            Register(True),
            Register(),
            Register(),
            Register(),
            Register(True),
        )
        step = (
            mixed(moved, s),
            mixed(ahead, w),
            row_programs.ratio(z, moved, ahead),
            gradient(g, z),
            plus_scaled(moved, moved, lambda u: -self.step_rule(u), g),
        )
        plan = NeighbourPlan(
            (s, w, z), (Program(step, swaps=((s, moved), (w, ahead))),), self.exchange.links(),
            drawn_gradient(context), numbers_sent=context.problem.d + 1,
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: SubgradientPushState) -> Tensor:
        return state.z

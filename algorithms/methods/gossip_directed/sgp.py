"""SGP: stochastic gradient push."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import RunContext
from algorithms.methods.parts.push import GradientPush, PushState, push, ratio, start
from algorithms.pipeline import row_programs
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, gradient, mixed, plus_scaled


@final
@dataclass(frozen=True)
class SGP(GradientPush[PushState]):
    r"""x \leftarrow P_t (x - \gamma_t g(z)), w \leftarrow P_t w, z_i = x_i / w_i. (Assran, Loizou,
    Ballas, Rabbat 2018, arXiv:1811.10792, Algorithm 1.)

    Sent are the biased parameters x and the weight w, not the gradient, and the step is
    synchronous. ``models`` are the z_i. Where lost messages take their weight away
    (LostWeight.VANISHES), w_i falls to 0 and steps of gamma / w_i grow until the run diverges;
    LostWeight.RETURNED keeps the weight.
    """

    kind = "SGP"

    def init(self, x0: Tensor, context: RunContext) -> PushState:
        return start(x0, self.exchange, context)

    def step(self, state: PushState, t: int, context: RunContext) -> PushState:
        g = context.gradient(ratio(state), t)
        return push(add_scaled(state.s, -self.step_rule(t), g), state.w, self.exchange, t, context)

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
            row_programs.ratio(z, s, w),
            gradient(g, z),
            plus_scaled(moved, s, lambda u: -self.step_rule(u), g),
            mixed(s, moved),
            mixed(ahead, w),
        )
        plan = NeighbourPlan(
            (s, w), (Program(step, swaps=((w, ahead),)),), self.exchange.links(),
            drawn_gradient(context), numbers_sent=context.problem.d + 1,
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: PushState) -> Tensor:
        return ratio(state)

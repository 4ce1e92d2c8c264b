"""CocktailSGD (Wang, Lu, Yuan, Chen, Liang, De Sa, Re, Zhang 2023, ICML)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.cocktail import Cocktail
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.two_way_mean import two_way_mean, two_way_rows
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, PlanMessage, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    copy,
    gradient,
    registers,
    scale,
    subtract,
)
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class CocktailState(NamedTuple):
    """Model, the step on its way, and what was not sent yet.

    Attributes:
        x: the model ``[..., 1, d]``.
        coming: the mean step that is taken next ``[..., 1, d]``.
        residual: e_i of the workers ``[..., m, d]``.
        server: e_s of the server ``[..., 1, d]``.
    """

    x: Tensor
    coming: Tensor
    residual: Tensor
    server: Tensor


@final
@dataclass(frozen=True)
class CocktailSGD(Method[CocktailState]):
    r"""Steps compressed both ways with error feedback, each taken one step late.

    While workers compute gradients at x_t the mean step of t - 1 is on its way:
    s_t = C(mean_i C(\gamma g_i(x_t) + e_i) + e_s), e_i and e_s what C left out;
    x_{t+1} = x_t - s_{t-1}, s_{-1} = 0. C is a lot of coordinates, the largest of it, few bits
    each. Without ``delayed`` it is x_{t+1} = x_t - s_t: error feedback both ways.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: C, of workers and server.
        delayed: whether a step is taken one step late, behind the computing of the next.
    """

    step_rule: Stepsize
    compressor: Compressor = field(default_factory=Cocktail)
    delayed: bool = True

    shared_model: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"CocktailSGD({self.compressor.name}{'' if self.delayed else ', not delayed'})"

    @property
    def server_operator(self) -> Compressor:
        return self.compressor

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def init(self, x0: Tensor, context: RunContext) -> CocktailState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        zero = torch.zeros_like(x)
        return CocktailState(x, zero, torch.zeros_like(rows), zero)

    def step(self, state: CocktailState, t: int, context: RunContext) -> CocktailState:
        steps = self.step_rule(t) * context.gradient(state.x, t)
        operator = self.compressor.at_step(t)
        mean = two_way_mean(steps, state.residual, state.server, operator, t, context)
        taken = state.coming if self.delayed else mean.incoming
        return CocktailState(state.x - taken, mean.incoming, mean.residual, mean.server)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        (residual, g), (x, coming, server, incoming) = registers(2), registers(4, lone=True)
        step = Program((
            gradient(g, x),
            scale(g, self.step_rule, g),
            *two_way_rows(incoming, g, residual, server),
            subtract(x, x, coming if self.delayed else incoming),
            copy(coming, incoming),
        ))  # fmt: skip
        plan = NeighbourPlan(
            (x, coming, residual, server), (step,), None, drawn_gradient(context), self.compressor,
            further=(PlanMessage(self.compressor, "publish"),),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: CocktailState) -> Tensor:
        return state.x

"""Mime and MimeLite (Karimireddy, Jaggi, Kale, Mohri, Reddi, Stich, Suresh 2020,
arXiv:2008.03606)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.core.decays import require_decay
from algorithms.methods.base import Method, RunContext
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient, exact_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    add,
    blend,
    copy,
    gathered,
    gradient,
    plus_scaled,
    registers,
    subtract,
    told,
)
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize


class MimeState(NamedTuple):
    r"""Local models; what is fixed in a round: model, momentum, mean gradient ``[..., 1, d]``.

    Attributes:
        x: the local models y_i ``[..., m, d]``.
        anchor: x, that all began the round from.
        momentum: m, the server's momentum.
        mean_gradient: c = \frac1n \sum_i \nabla f_i(x).
    """

    x: Tensor
    anchor: Tensor
    momentum: Tensor
    mean_gradient: Tensor


@final
@dataclass(frozen=True)
class Mime(Method[MimeState]):
    r"""y_i -= \eta ((1 - \beta) d_i + \beta m), K times from x with m fixed, then x is the mean of
    the y_i and m = (1 - \beta) c + \beta m, c = \frac1n \sum_i \nabla f_i(x) at the round's start.

    d_i = g_i(y_i) - g_i(x) + c on one batch, as the server's own steps would be (Mime), or g_i(y_i)
    (``lite``, MimeLite), whose steps drift as local SGD's do. (Algorithm 1, for the base algorithm
    SGD with momentum.) Gradients at x are sent at the start of a round: workers send two vectors a
    round and receive (are told) three, x with m, and c.

    Attributes:
        step_rule: the local stepsizes \eta_t [x^2 / f] by step t.
        period: K, local steps of a round.
        beta: \beta, the server's momentum.

    Raises:
        ValueError: period < 1 or beta outside [0, 1).
    """

    step_rule: Stepsize
    period: int
    beta: float = 0.9
    lite: bool = False

    def __post_init__(self) -> None:
        require_int("period", self.period, 1)
        require_decay("beta", self.beta)

    @property
    def name(self) -> str:
        return f"{'MimeLite' if self.lite else 'Mime'}, K={self.period}, beta={self.beta:g}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()  # without H: theorems on local SGD are about plain local steps

    def init(self, x0: Tensor, context: RunContext) -> MimeState:
        x, anchor = context.rows(x0, len(context.network.workers)), context.rows(x0, 1)
        return MimeState(x, anchor, torch.zeros_like(anchor), torch.zeros_like(anchor))

    def step(self, state: MimeState, t: int, context: RunContext) -> MimeState:
        if t % self.period == 0:
            state = self.begin(state, t, context)
        g = self.direction(state, t, context)
        x = state.x - self.step_rule(t) * ((1 - self.beta) * g + self.beta * state.momentum)
        if (t + 1) % self.period:
            return state._replace(x=x)
        return self.meet(state._replace(x=x), t, context)

    def begin(self, state: MimeState, t: int, context: RunContext) -> MimeState:
        """The state once all know the mean gradient at the round's start."""
        problem, workers = context.problem, context.network.workers
        whole = context.checked(problem.full_gradient(state.x, workers), t)
        packet = context.pack(Identity(), whole, t, purpose="gradient at the start")
        mean, _ = context.network.average(packet)
        if not self.lite:
            mean = context.published(mean, t, "mean gradient")
        return state._replace(mean_gradient=mean)

    def direction(self, state: MimeState, t: int, context: RunContext) -> Tensor:
        """The d_i ``[..., m, d]`` of step t."""
        g = context.gradient(state.x, t)
        if self.lite:
            return g
        at_start = context.gradient(state.anchor.expand_as(state.x).contiguous(), t)
        return g - at_start + state.mean_gradient

    def meet(self, state: MimeState, t: int, context: RunContext) -> MimeState:
        """The state after the meeting that follows step t."""
        mean, _ = context.network.average(context.pack(Identity(), state.x, t))
        anchor = context.published(mean, t)
        momentum = (1 - self.beta) * state.mean_gradient + self.beta * state.momentum
        momentum = context.published(momentum, t, "momentum")
        return MimeState(
            anchor.expand_as(state.x).contiguous(), anchor, momentum, state.mean_gradient
        )

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, g, start, old = registers(4)
        anchor, momentum, mean = registers(3, lone=True)
        begun: tuple[Operation, ...] = gradient(g, x, 1), gathered(mean, g)
        direction: tuple[Operation, ...] = (gradient(g, x),)
        if not self.lite:
            begun = *begun, told()
            direction = (
                *direction,
                copy(start, anchor),
                gradient(old, start),
                subtract(g, g, old),
                add(g, g, mean),
            )
        alone = (
            *direction,
            blend(g, 1 - self.beta, g, self.beta, momentum),
            plus_scaled(x, x, lambda s: -self.step_rule(s), g),
        )
        met = (
            gathered(anchor, x),
            told(),
            blend(momentum, 1 - self.beta, mean, self.beta, momentum),
            told(),
            copy(x, anchor),
        )
        kinds = alone, (*begun, *alone), (*alone, *met), (*begun, *alone, *met)
        plan = NeighbourPlan(
            (x, anchor, momentum, mean), tuple(Program(one) for one in kinds), None,
            drawn_gradient(context), second=exact_gradient(context),
            program=lambda s: int(s % self.period == 0) + 2 * int((s + 1) % self.period == 0),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: MimeState) -> Tensor:
        return state.x

"""FedProx (Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith 2018, arXiv:1812.06127)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    copy,
    gathered,
    gradient,
    plus_scaled,
    registers,
    subtract,
    told,
)
from algorithms.problems.base import Problem, require_int, require_number
from theory.constants import Constants
from theory.stepsizes import Stepsize


class FedProxState(NamedTuple):
    """Local models ``[..., m, d]`` and the server's model ``[..., 1, d]``.

    Attributes:
        x: the local models y_i ``[..., m, d]``.
        anchor: x, that all began the round from ``[..., 1, d]``.
    """

    x: Tensor
    anchor: Tensor


@final
@dataclass(frozen=True)
class FedProx(Method[FedProxState]):
    r"""K gradient steps on f_i(y) + \frac\mu2 \|y - x\|^2 from x, then the mean of the y_i.

    y_i -= \eta (g_i(y_i) + \mu (y_i - x)) (Algorithm 2, local solvers being gradient steps). With
    \mu = 0 it is local SGD, bit for bit. With as many steps as solve the local problems it stops at
    the x of \sum_i A_i (A_i + \mu)^{-1} (x - x_i^*) = 0 on quadratics: heterogeneity's bias is of
    order 1/\mu, as is the speed.

    Attributes:
        step_rule: the local stepsizes \eta_t [x^2 / f] by step t.
        period: K, local steps of a round.
        pull: \mu, the proximal coefficient, weight of the proximal term [f / x^2].

    Raises:
        ValueError: period < 1 or pull < 0.
    """

    step_rule: Stepsize
    period: int
    pull: float

    def __post_init__(self) -> None:
        require_int("period", self.period, 1)
        require_number("pull", self.pull)

    @property
    def name(self) -> str:
        return f"FedProx, K={self.period}, mu={self.pull:g}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()  # without H: theorems on local SGD are about plain local steps

    def init(self, x0: Tensor, context: RunContext) -> FedProxState:
        rows = context.rows(x0, len(context.network.workers))
        return FedProxState(rows, context.rows(x0, 1))

    def step(self, state: FedProxState, t: int, context: RunContext) -> FedProxState:
        g = context.gradient(state.x, t)
        pulled = g + self.pull * (state.x - state.anchor) if self.pull else g
        x = add_scaled(state.x, -self.step_rule(t), pulled)
        if (t + 1) % self.period:
            return state._replace(x=x)
        mean, _ = context.network.average(context.pack(Identity(), x, t))
        anchor = context.published(mean, t)
        return FedProxState(anchor.expand_as(x).contiguous(), anchor)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        (x, g, apart), anchor = registers(3), Register(lone=True)
        pulled: tuple[Operation, ...] = ()
        if self.pull:
            pulled = subtract(apart, x, anchor), plus_scaled(g, g, self.pull, apart)
        alone = gradient(g, x), *pulled, plus_scaled(x, x, lambda s: -self.step_rule(s), g)
        programs = Program(alone), Program((*alone, gathered(anchor, x), told(), copy(x, anchor)))
        plan = NeighbourPlan(
            (x, anchor), programs, None, drawn_gradient(context),
            program=lambda s: int((s + 1) % self.period == 0),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: FedProxState) -> Tensor:
        return state.x

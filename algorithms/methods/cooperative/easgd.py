"""Elastic averaging SGD: workers and a centre pull at each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.core.decays import require_decay
from algorithms.methods.base import Method, RunContext
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    averaged,
    blend,
    gradient,
    plus_scaled,
    scale,
    subtract,
)
from algorithms.problems.base import Problem, require_int, require_number
from theory.constants import Constants
from theory.stepsizes import Stepsize


class EASGDState(NamedTuple):
    """The centre ``[..., 1, d]``; each worker's model and velocity ``[..., m, d]``.

    Attributes:
        x: each worker's model ``[..., m, d]``.
    """

    centre: Tensor
    x: Tensor
    velocity: Tensor


@final
@dataclass(frozen=True)
class EASGD(Method[EASGDState]):
    r"""x_i^+ = x_i - \gamma_t g_i(x_i) - \alpha(x_i - c), c^+ = c + \beta(\bar x - c).

    Both pulls use the old x_i and c, and happen when ``period`` | t; other steps are local.
    ``beta`` is n alpha unless it is given. With ``momentum`` delta > 0 (EAMSGD):
    v_i^+ = \delta v_i - \gamma g_i(x_i + \delta v_i), which takes the place of -\gamma g_i. The
    model is the centre. (Zhang, Choromanska, LeCun 2015, arXiv:1412.6651, Equations 5 and 6,
    Algorithms 1 and 2 with all workers in step.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.

    Raises:
        ValueError: alpha < 0, beta < 0, momentum outside [0, 1) or period < 1.
    """

    step_rule: Stepsize
    alpha: float
    beta: float | None = None
    period: int = 1
    momentum: float = 0.0

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_number("alpha", self.alpha)
        require_number("beta", 0.0 if self.beta is None else self.beta)
        require_int("period", self.period, 1)
        require_decay("momentum", self.momentum)

    @property
    def name(self) -> str:
        beta = "n alpha" if self.beta is None else f"{self.beta:g}"
        kind = f"EAMSGD, delta={self.momentum:g}" if self.momentum else "EASGD"
        return f"{kind}, alpha={self.alpha:g}, beta={beta}, H={self.period}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> EASGDState:
        x = context.rows(x0, len(context.network.workers))
        return EASGDState(context.rows(x0, 1), x, x.new_zeros(x.shape))

    def step(self, state: EASGDState, t: int, context: RunContext) -> EASGDState:
        gamma, delta = self.step_rule(t), self.momentum
        if delta == 0:
            velocity = -gamma * context.gradient(state.x, t)
        else:
            g = context.gradient(state.x + delta * state.velocity, t)
            velocity = delta * state.velocity - gamma * g
        x, centre = (state.x, state.centre) if t % self.period else self._pulled(state, t, context)
        return EASGDState(centre, x + velocity, velocity)

    def _pulled(self, state: EASGDState, t: int, context: RunContext) -> tuple[Tensor, Tensor]:
        """Models and centre after they pulled at each other."""
        x, centre = state.x, state.centre
        mean, _ = context.network.average(context.pack(Identity(), x, t))
        incoming = context.published(centre, t)
        beta = context.network.n * self.alpha if self.beta is None else self.beta
        return x - self.alpha * (x - incoming), centre + beta * (mean - centre)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        centre, x, velocity, g, new, point = (Register() for _ in range(6))
        mean, apart, ahead, room = (Register() for _ in range(4))
        beta = context.network.n * self.alpha if self.beta is None else self.beta
        if self.momentum == 0:
            moved: tuple[Operation, ...] = (
                gradient(g, x),
                scale(new, lambda s: -self.step_rule(s), g),
            )
        else:
            moved = (
                plus_scaled(point, x, self.momentum, velocity),
                gradient(g, point),
                blend(new, self.momentum, velocity, lambda s: -self.step_rule(s), g),
            )
        pulled = (
            *averaged(mean, x, room),
            subtract(apart, x, centre),
            plus_scaled(x, x, -self.alpha, apart),
            subtract(ahead, mean, centre),
            plus_scaled(centre, centre, beta, ahead),
        )
        step, swaps = plus_scaled(x, x, 1.0, new), ((velocity, new),)
        programs = Program((*moved, step), swaps), Program((*moved, *pulled, step), swaps)
        plan = NeighbourPlan(
            (centre, x, velocity), programs, None, drawn_gradient(context),
            program=lambda s: int(s % self.period == 0),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: EASGDState) -> Tensor:
        return state.centre

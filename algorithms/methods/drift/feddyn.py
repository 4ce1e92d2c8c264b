"""FedDyn (Acar, Zhao, Matas Navarro, Mattina, Whatmough, Saligrama 2021, arXiv:2111.04263)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.participation import require_workers, taking_part
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.masks import participants
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    choose,
    copy,
    divide,
    gathered,
    gradient,
    keep,
    plus_scaled,
    registers,
    subtract,
    told,
)
from algorithms.problems.base import Problem, require_int, require_number
from theory.constants import Constants
from theory.stepsizes import Stepsize


class FedDynState(NamedTuple):
    """Local models and linear terms ``[..., m, d]``; the server's model and term ``[..., 1, d]``.

    Attributes:
        x: the local models y_i ``[..., m, d]``.
        linear: the workers' h_i [f / x], which learn the gradients at the minimiser
            ``[..., m, d]``.
        anchor: the server's model x, that all began the round from ``[..., 1, d]``.
        server_linear: h, the mean of the h_i ``[..., 1, d]``.
    """

    x: Tensor
    linear: Tensor
    anchor: Tensor
    server_linear: Tensor


@final
@dataclass(frozen=True)
class FedDyn(Method[FedDynState]):
    r"""K gradient steps on f_i(y) - \langle h_i, y \rangle + \frac a2 \|y - x\|^2 from x; then
    h_i -= a (y_i - x), h -= a \frac1n \sum_S (y_i - x), x = \frac{1}{|S|} \sum_S y_i - h/a.

    (Algorithm 1, local problems solved by gradient steps.) All h_i start at 0, so that h is their
    mean at all times. With all workers x^+ = 2 \bar y - x - h/a, a reflected step. The minimiser
    with h_i = \nabla f_i(x^*) is a fixed point for every K. One vector up and down a round.
    ``participants`` of the n workers, drawn anew, take part in a round (None: all); the rows of the
    others stand for the server's model.

    Attributes:
        step_rule: the local stepsizes \eta_t [x^2 / f] by step t.
        period: K, local steps of a round.
        pull: a, the coefficient of the dynamic regulariser [f / x^2].
        participants: workers of a round; None: all.

    Raises:
        ValueError: period < 1, pull not positive and finite, participants < 1 or above the number
            of workers.
    """

    step_rule: Stepsize
    period: int
    pull: float
    participants: int | None = None

    def __post_init__(self) -> None:
        require_int("period", self.period, 1)
        if self.participants is not None:
            require_int("participants", self.participants, 1)
        require_number("pull", self.pull, strict=True)

    @property
    def name(self) -> str:
        few = "" if self.participants is None else f", {self.participants} workers a round"
        return f"FedDyn, K={self.period}, a={self.pull:g}{few}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()  # without H: theorems on local SGD are about plain local steps

    def init(self, x0: Tensor, context: RunContext) -> FedDynState:
        require_workers(self.participants, context.network.n)
        x, anchor = context.rows(x0, len(context.network.workers)), context.rows(x0, 1)
        return FedDynState(x, torch.zeros_like(x), anchor, torch.zeros_like(anchor))

    def step(self, state: FedDynState, t: int, context: RunContext) -> FedDynState:
        g = context.gradient(state.x, t)
        force = g - state.linear + self.pull * (state.x - state.anchor)
        x = state.x - self.step_rule(t) * force
        taking = taking_part(self.participants, t // self.period, context)
        if taking is not None:
            x = torch.where(taking[..., context.network.workers, None], x, state.x)
        state = state._replace(x=x)
        return state if (t + 1) % self.period else self.meet(state, t, context)

    def meet(self, state: FedDynState, t: int, context: RunContext) -> FedDynState:
        """The state after the meeting that follows step t."""
        network, number = context.network, t // self.period
        taking = taking_part(self.participants, number, context)
        sends = None if taking is None else taking[..., network.workers]
        share = 1.0 if self.participants is None else network.n / self.participants
        packet = context.pack(Identity(), state.x - state.anchor, t, sends=sends)
        mean, own = network.average(packet)
        linear, server = state.linear - self.pull * own, state.server_linear - self.pull * mean
        anchor = state.anchor + share * mean - server / self.pull
        hears = taking_part(self.participants, number + 1, context)
        if hears is None:
            told = context.published(anchor, t)
        else:
            here = hears[..., network.workers, None]
            told = torch.where(here, context.broadcast(anchor, hears, t), anchor)
        return FedDynState(told.expand_as(state.x).contiguous(), linear, anchor, server)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, linear, g, force, away, new = registers(6)
        anchor, server, mean, share = registers(4, lone=True)
        some = self.participants is not None
        mask, hears = (0, 1) if some else (None, None)
        alone = (
            gradient(g, x),
            subtract(force, g, linear),
            subtract(away, x, anchor),
            plus_scaled(force, force, self.pull, away),
            plus_scaled(new, x, lambda s: -self.step_rule(s), force),
            choose(x, 0, new, x) if some else copy(x, new),
        )
        n, period = context.network.n, self.period
        size = self.participants or n
        meeting = (
            subtract(away, x, anchor),
            *((keep(away, 0, away),) if some else ()),
            plus_scaled(linear, linear, -self.pull, away),
            gathered(mean, away, None, mask),
            plus_scaled(server, server, -self.pull, mean),
            plus_scaled(anchor, anchor, n / size, mean),
            divide(share, server, self.pull),
            subtract(anchor, anchor, share),
            told(None, hears),
            copy(x, anchor),
        )
        plan = NeighbourPlan(
            (x, linear, anchor, server), (Program(alone), Program((*alone, *meeting))), None,
            drawn_gradient(context), program=lambda s: int((s + 1) % period == 0),
            masks=(participants(size, period), participants(size, period, 1)) if some else (),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: FedDynState) -> Tensor:
        return state.x

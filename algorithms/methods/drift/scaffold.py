"""SCAFFOLD (Karimireddy, Kale, Mohri, Reddi, Stich, Suresh 2019, arXiv:1910.06378)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
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
    Operation,
    Program,
    Register,
    add,
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
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize


class ControlOption(Enum):
    """Source of a worker's new control variate.

    Attributes:
        PASS: one more gradient at the server's model (option I).
        PATH: the local steps themselves (option II).
    """

    PASS = "I"
    PATH = "II"


class ScaffoldState(NamedTuple):
    """Local models and controls ``[..., m, d]``; the server's model and control ``[..., 1, d]``.

    Attributes:
        x: the local models y_i ``[..., m, d]``.
        control: the workers' c_i ``[..., m, d]``.
        anchor: the server's model x, that all began the round from ``[..., 1, d]``.
        server_control: c, the mean of the c_i ``[..., 1, d]``.
    """

    x: Tensor
    control: Tensor
    anchor: Tensor
    server_control: Tensor


@final
@dataclass(frozen=True)
class Scaffold(Method[ScaffoldState]):
    r"""y_i -= \eta (g_i(y_i) - c_i + c), K times from x; then
    c_i^+ = c_i - c + (x - y_i)/(K \eta) (option II) or g_i(x) (option I),
    x += \eta_g \frac{1}{|S|} \sum_S (y_i - x), c += \frac1n \sum_S (c_i^+ - c_i).

    (Algorithm 1.) Workers send y_i - x and c_i^+ - c_i, and are told x and c. All controls start at
    0, so that c is their mean at all times. Where the stepsizes of a round differ, K \eta is their
    sum. ``participants`` of the n workers, drawn anew, take part in a round (None: all); the rows
    of the others stand for the server's model.

    Attributes:
        step_rule: the local stepsizes \eta_t [x^2 / f] by step t.
        period: K, local steps of a round.
        server_rate: \eta_g, a pure number.

    Raises:
        ValueError: period < 1, participants < 1, or server_rate not positive.
    """

    step_rule: Stepsize
    period: int
    server_rate: float = 1.0
    option: ControlOption = ControlOption.PATH
    participants: int | None = None

    def __post_init__(self) -> None:
        require_int("period", self.period, 1)
        if self.participants is not None:
            require_int("participants", self.participants, 1)
        if not self.server_rate > 0:
            raise ValueError(
                f"server_rate must be positive, got server_rate={self.server_rate}; 1 takes the "
                "mean of the local models"
            )

    @property
    def name(self) -> str:
        few = "" if self.participants is None else f", {self.participants} workers a round"
        rate = "" if self.server_rate == 1 else f", eta_g={self.server_rate:g}"
        return f"SCAFFOLD({self.option.value}), K={self.period}{rate}{few}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()  # without H: theorems on local SGD are about plain local steps

    def init(self, x0: Tensor, context: RunContext) -> ScaffoldState:
        require_workers(self.participants, context.network.n)
        x, anchor = context.rows(x0, len(context.network.workers)), context.rows(x0, 1)
        return ScaffoldState(x, torch.zeros_like(x), anchor, torch.zeros_like(anchor))

    def step(self, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
        g = context.gradient(state.x, t)
        x = state.x - self.step_rule(t) * (g - state.control + state.server_control)
        taking = taking_part(self.participants, t // self.period, context)
        if taking is not None:
            x = torch.where(taking[..., context.network.workers, None], x, state.x)
        state = state._replace(x=x)
        return state if (t + 1) % self.period else self.meet(state, t, context)

    def meet(self, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
        """The state after the meeting that follows step t."""
        network, number = context.network, t // self.period
        taking = taking_part(self.participants, number, context)
        sends = None if taking is None else taking[..., network.workers]
        moved = state.anchor - state.x
        change = self.fresh_control(state, moved, t, context) - state.control
        mean_move, _ = network.average(context.pack(Identity(), moved, t, sends=sends))
        packet = context.pack(Identity(), change, t, sends=sends, purpose="control")
        mean_change, own_change = network.average(packet)
        share = 1.0 if self.participants is None else network.n / self.participants
        anchor = state.anchor - (self.server_rate * share) * mean_move
        control, server = state.control + own_change, state.server_control + mean_change
        told, server = self._told(anchor, server, t, context)
        return ScaffoldState(told.expand_as(state.x).contiguous(), control, anchor, server)

    def fresh_control(
        self, state: ScaffoldState, moved: Tensor, t: int, context: RunContext
    ) -> Tensor:
        """The c_i^+ ``[..., m, d]`` of a round in which models ``moved`` by x - y_i."""
        if self.option is ControlOption.PATH:
            return state.control - state.server_control + moved / self._length(t)
        at_anchor = state.anchor.expand_as(state.x).contiguous()
        return context.checked(
            context.problem.gradient(at_anchor, context.draws("control gradient", t)), t
        )

    def _length(self, t: int) -> float:
        r"""K \eta of the round that ends with step t, the sum of its stepsizes."""
        return sum(self.step_rule(s) for s in range(t + 1 - self.period, t + 1))

    def _told(
        self, anchor: Tensor, server: Tensor, t: int, context: RunContext
    ) -> tuple[Tensor, Tensor]:
        """Model and control as the workers of the next round read them; charged to those."""
        hears = taking_part(self.participants, t // self.period + 1, context)
        if hears is None:
            return context.published(anchor, t), context.published(server, t, "control")
        here = hears[..., context.network.workers, None]
        told = context.broadcast(anchor, hears, t)
        context.broadcast(server, hears, t, "control answer")
        return torch.where(here, told, anchor), server

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, control, g, force, new = registers(5)
        anchor, server = registers(2, lone=True)
        some = self.participants is not None
        alone = (
            gradient(g, x),
            subtract(force, g, control),
            add(force, force, server),
            plus_scaled(new, x, lambda s: -self.step_rule(s), force),
            choose(x, 0, new, x) if some else copy(x, new),
        )
        n, drawn, period = context.network.n, drawn_gradient(context), self.period
        rows, size = (x, control, anchor, server), self.participants or n
        meeting = self._meeting(rows, self.server_rate * (n / size))
        plan = NeighbourPlan(
            rows, (Program(alone), Program((*alone, *meeting))), None, drawn,
            program=lambda s: int((s + 1) % period == 0), second=drawn,
            second_purpose="control gradient",
            masks=(participants(size, period), participants(size, period, 1)) if some else (),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def _meeting(self, rows: tuple[Register, ...], rate: float) -> tuple[Operation, ...]:
        x, control, anchor, server = rows
        moved, fresh, change = registers(3)
        mean_move, mean_change = registers(2, lone=True)
        some = self.participants is not None
        mask, hears = (0, 1) if some else (None, None)
        renewed: tuple[Operation, ...] = copy(change, anchor), gradient(fresh, change, 1)
        if self.option is ControlOption.PATH:
            renewed = (
                subtract(fresh, control, server),
                divide(
                    change, moved, lambda s: self._length(s) if (s + 1) % self.period == 0 else 1
                ),
                add(fresh, fresh, change),
            )
        return (
            subtract(moved, anchor, x),
            *renewed,
            subtract(change, fresh, control),
            *((keep(moved, 0, moved), keep(change, 0, change)) if some else ()),
            add(control, control, change),
            gathered(mean_move, moved, None, mask),
            gathered(mean_change, change, None, mask),
            plus_scaled(anchor, anchor, -rate, mean_move),
            add(server, server, mean_change),
            told(None, hears),
            told(None, hears),
            copy(x, anchor),
        )

    def models(self, state: ScaffoldState) -> Tensor:
        return state.x

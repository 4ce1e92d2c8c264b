"""Rand-DIANA (Shulgin, Richtarik 2022, arXiv:2206.10452)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.constants import operator_constants
from algorithms.methods.parts.gradients import Full, Gradients
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.masks import drawn_below
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    add,
    choose,
    gathered,
    gradient,
    keep,
    plus_scaled,
    registers,
    sent,
    subtract,
    told,
)
from algorithms.problems.base import Problem
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class RandDianaState(NamedTuple):
    """The server's model; the workers' shifts and their mean.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        shifts: h_i, each worker's gradient when it last sent one in full ``[..., m, d]``.
        shift: the mean of the h_i, as the server keeps it ``[..., 1, d]``.
    """

    x: Tensor
    shifts: Tensor
    shift: Tensor


@final
@dataclass(frozen=True)
class RandDiana(Method[RandDianaState]):
    r"""g = h + mean Q_i(\nabla f_i(x) - h_i), x = x - \gamma g; with probability p, each worker for
    itself, h_i = \nabla f_i(x), which it sends in full as the difference to its old h_i.

    All shifts start at 0. ``refresh`` is p, by default 1/(1 + omega): the shifts of DIANA that move
    the whole way at times, in place of a part of it always.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: Q, unbiased, drawn by every worker for itself.
        refresh: p in (0, 1], the probability that a worker renews its shift (its control vector);
            None: 1/(1 + omega).
        gradients: which gradients the workers take.

    Raises:
        ValueError: refresh outside (0, 1]; or an operator that claims no omega, and no refresh.
    """

    step_rule: Stepsize
    compressor: Compressor
    refresh: float | None = None
    gradients: Gradients = field(default_factory=Full)

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.refresh is not None and not 0 < self.refresh <= 1:
            raise ValueError(f"refresh must lie in (0, 1], got refresh={self.refresh}")

    @property
    def name(self) -> str:
        notes = [self.compressor.name]
        notes += [] if self.refresh is None else [f"p={self.refresh:g}"]
        return f"Rand-DIANA({', '.join(notes)}){self.gradients.note}"

    def probability(self, d: int) -> float:
        """p, or 1/(1 + omega) in R^d.

        Raises:
            ValueError: the operator claims no omega.
        """
        if self.refresh is not None:
            return self.refresh
        omega = operator_constants(self.compressor, d).omega
        if omega is None:
            raise ValueError(
                f"{self.compressor.name} claims no omega, so refresh has no default; an unbiased "
                "operator or a stated refresh would do"
            )
        return 1 / (1 + omega)

    def constants(self, problem: Problem) -> Constants:
        known = Statement(Kind.EXACT, "every step", "set by construction")
        own = operator_constants(self.compressor, problem.d)
        stated = self.gradients.constants(problem).merge(own)
        return stated.state(known, refresh=self.probability(problem.d))

    def init(self, x0: Tensor, context: RunContext) -> RandDianaState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        return RandDianaState(x, torch.zeros_like(rows), torch.zeros_like(x))

    def step(self, state: RandDianaState, t: int, context: RunContext) -> RandDianaState:
        g = self.gradients.compute(state.x, t, context)
        change = g - state.shifts
        mean, _ = context.network.average(context.pack(self.compressor.at_step(t), change, t))
        coins = context.draws("refresh", t).uniform(1, torch.float64)[..., 0]
        renewed = coins < self.probability(context.problem.d)
        full = context.pack(Identity(), change, t, sends=renewed, purpose="full")
        moved, _ = context.network.average(full)
        x = context.published(state.x - self.step_rule(t) * (state.shift + mean), t)
        shifts = torch.where(renewed[..., None], g, state.shifts)
        return RandDianaState(x, shifts, state.shift + moved)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        shifts, g, change, said, full = registers(5)
        x, shift, mean, moved, taken = registers(5, lone=True)
        step = Program((
            gradient(g, x),
            subtract(change, g, shifts),
            sent(said, change),
            keep(full, 0, change),
            choose(shifts, 0, g, shifts),
            gathered(mean, said, 0),
            gathered(moved, full, None, 0),
            add(taken, shift, mean),
            plus_scaled(x, x, lambda s: -self.step_rule(s), taken),
            told(),
            add(shift, shift, moved),
        ))  # fmt: skip
        renewed = drawn_below("refresh", self.probability(context.problem.d))
        plan = NeighbourPlan(
            (x, shifts, shift), (step,), None, self.gradients.row_kernel(context),
            self.compressor, masks=(renewed,),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: RandDianaState) -> Tensor:
        return state.x

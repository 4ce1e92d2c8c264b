"""Scaffnew, ProxSkip for consensus (Mishchenko, Malinovsky, Stich, Richtarik 2022,
arXiv:2202.09357)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.masks import coin_below
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    add,
    choose,
    copy,
    gathered,
    gradient,
    keep,
    plus_scaled,
    registers,
    scale,
    subtract,
    told,
)
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class ScaffnewState(NamedTuple):
    """Local models x_i and shifts h_i, ``[..., m, d]``.

    Attributes:
        x: the local models ``[..., m, d]``.
        shift: the h_i, which sum to 0 over all workers ``[..., m, d]``.
    """

    x: Tensor
    shift: Tensor


@final
@dataclass(frozen=True)
class Scaffnew(Method[ScaffnewState]):
    r"""\hat x_i = x_i - \gamma_t (g_i(x_i) - h_i); then by one coin for all, with probability p,
    x_i = \frac1n \sum_j \hat x_j and h_i += \frac{p}{\gamma_t} (x_i - \hat x_i), else x_i = \hat
    x_i. (Algorithm 2.)

    All h_i start at 0 and sum to 0 at all times; they learn the gradients at the minimiser.
    Messages are sent when the coin falls on heads alone, a communication round (a meeting). With
    ``period`` K there is no coin: workers meet when K | t+1, and p is what the shifts are renewed
    by. At p = 1/K that is SCAFFOLD of option II with all workers and \eta_g = 1, h_i = c_i - c.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        probability: p, of a meeting (a communication round) after a step.

    Raises:
        ValueError: a probability outside (0, 1], or period < 1.
    """

    step_rule: Stepsize
    probability: float
    period: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.probability <= 1:
            raise ValueError(
                f"probability must lie in (0, 1], got probability={self.probability}; "
                "1/sqrt(L/mu) is the paper's"
            )
        if self.period is not None:
            require_int("period", self.period, 1)

    @property
    def name(self) -> str:
        every = "" if self.period is None else f", meeting every {self.period} steps"
        return f"Scaffnew, p={self.probability:g}{every}"

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants()
        if self.period is not None:
            return stated  # the theorem is about meetings by a coin
        known = Statement(Kind.EXACT, "every step", "set by construction")
        return stated.state(known, meeting_chance=self.probability)

    def init(self, x0: Tensor, context: RunContext) -> ScaffnewState:
        x = context.rows(x0, len(context.network.workers))
        return ScaffnewState(x, torch.zeros_like(x))

    def step(self, state: ScaffnewState, t: int, context: RunContext) -> ScaffnewState:
        gamma = self.step_rule(t)
        ahead = state.x - gamma * (context.gradient(state.x, t) - state.shift)
        if self.period is None:
            return self._by_coin(state, ahead, t, context)
        if (t + 1) % self.period:
            return ScaffnewState(ahead, state.shift)
        mean, _ = context.network.average(context.pack(Identity(), ahead, t))
        mean = context.published(mean, t)
        return ScaffnewState(
            mean.expand_as(ahead).contiguous(), self.renewed(state.shift, mean, ahead, gamma)
        )

    def _by_coin(
        self, state: ScaffnewState, ahead: Tensor, t: int, context: RunContext
    ) -> ScaffnewState:
        heads, network = self.coin(t, context), context.network
        sends = heads[..., None].expand(*heads.shape, len(network.workers))
        mean, _ = network.average(context.pack(Identity(), ahead, t, sends=sends))
        told = context.broadcast(mean, heads[..., None].expand(*heads.shape, network.n), t)
        met = heads[..., None, None]
        shift = self.renewed(state.shift, told, ahead, self.step_rule(t))
        return ScaffnewState(torch.where(met, told, ahead), torch.where(met, shift, state.shift))

    def renewed(self, shift: Tensor, mean: Tensor, ahead: Tensor, gamma: float) -> Tensor:
        """The shifts after a meeting at ``mean``, ``[..., m, d]``."""
        return shift + (self.probability / gamma) * (mean - ahead)

    def coin(self, t: int, context: RunContext) -> Tensor:
        """Whether all meet after step t, ``[...]`` (bool), the same on every rank."""
        draws = context.key.fold("meeting", t).draws(context.replicas, context.network.server)
        return draws.uniform(1, torch.float64)[..., 0, 0] < self.probability

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        (x, shift, g, ahead, apart), (mean,) = registers(5), registers(1, lone=True)
        alone: tuple[Operation, ...] = (
            gradient(g, x),
            subtract(g, g, shift),
            plus_scaled(ahead, x, lambda s: -self.step_rule(s), g),
        )
        renewed: tuple[Operation, ...] = (
            subtract(apart, mean, ahead),
            scale(apart, lambda s: self.probability / self.step_rule(s), apart),
            add(apart, shift, apart),
        )
        coin = self.period is None
        if coin:
            incoming = (
                keep(apart, 0, ahead),
                gathered(mean, apart, None, 0),
                told(None, 0),
                *renewed,
                choose(x, 0, mean, ahead),
                choose(shift, 0, apart, shift),
            )
        else:
            incoming = gathered(mean, ahead), told(), *renewed, copy(x, mean), copy(shift, apart)
        programs = Program((*alone, copy(x, ahead))), Program((*alone, *incoming))
        plan = NeighbourPlan(
            (x, shift), programs, None, drawn_gradient(context), program=self._meets,
            masks=(coin_below("meeting", lambda s: self.probability),) if coin else (),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def _meets(self, t: int) -> int:
        """Whether workers may meet after step t, 1 or 0."""
        return int(self.period is None or (t + 1) % self.period == 0)

    def models(self, state: ScaffnewState) -> Tensor:
        return state.x

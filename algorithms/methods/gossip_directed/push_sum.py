"""Push-sum: average consensus over directed links, by a sum and a weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.exchange import Exchange
from algorithms.methods.gossip_averaging.gossip_averaging import averaging_start, unfit_to_average
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.push import PushState, push, ratio, unit_weights
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, mixed
from algorithms.problems.base import Problem
from theory.constants import Constants


@final
@dataclass(frozen=True)
class PushSum(Method[PushState]):
    r"""s \leftarrow P_t s, w \leftarrow P_t w, z_i = s_i / w_i. (Kempe, Dobra, Gehrke 2003, FOCS,
    Protocol Push-Sum.)

    Columns of P_t sum to 1, so sum s and sum w stay, and every z_i tends to the mean of the starts
    where averaging with P_t alone would end at a weighted one. Worker i starts from
    x_0 - grad f_i(x_0), with w = 1: on f_i(x) = ||x - b_i||^2 / 2 this is b_i.

    Attributes:
        exchange: how values cross; its matrices P_t have columns that sum to 1.
    """

    exchange: Exchange

    @property
    def name(self) -> str:
        return f"push-sum, {self.exchange.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().state(n=self.exchange.n)

    def unfit(self, problem: Problem) -> str:
        return unfit_to_average(problem)

    def init(self, x0: Tensor, context: RunContext) -> PushState:
        check_size(self.exchange, context, "exchange")
        s = averaging_start(x0, context).x
        return PushState(s, unit_weights(s))

    def step(self, state: PushState, t: int, context: RunContext) -> PushState:
        return push(state.s, state.w, self.exchange, t, context)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        s, w, moved, ahead = Register(), Register(True), Register(), Register(True)
        step = Program((mixed(moved, s), mixed(ahead, w)), swaps=((s, moved), (w, ahead)))
        links, many = self.exchange.links(), context.problem.d + 1
        return neighbour_block(context, t, NeighbourPlan((s, w), (step,), links, numbers_sent=many))

    def models(self, state: PushState) -> Tensor:
        return ratio(state)

"""Quantised consensus: averaging of quantised values themselves, not of differences to copies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.exchange import Exchange
from algorithms.methods.gossip_averaging.gossip_averaging import (
    AveragingState,
    averaging_start,
    spread_at_start,
    unfit_to_average,
)
from algorithms.methods.parts.checks import check_averages, check_size
from algorithms.methods.parts.constants import operator_constants
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, mixed, plus_scaled, sent, subtract
from algorithms.problems.base import Problem
from theory.constants import Constants, Kind, Statement


class OwnValue(Enum):
    r"""Use of a worker's own exact value when it mixes with others.

    TOTAL         x_i+ = sum_j W_ij Q(x_j): nothing; the mean moves
    PARTIAL       x_i+ = W_ii x_i + sum_{j != i} W_ij Q(x_j): it stands for itself; the mean moves
    COMPENSATING  x_i+ = x_i + sum_j W_ij (Q(x_j) - Q(x_i)): the mean is kept
    """

    TOTAL = "total"
    PARTIAL = "partial"
    COMPENSATING = "compensating"


@final
@dataclass(frozen=True)
class QuantisedConsensus(Method[AveragingState]):
    r"""Averaging by workers that exchange quantised values Q(x_i).

    At random meetings: partially and totally quantised and compensating gossip, with deterministic
    or probabilistic quantisers (Carli, Fagnani, Frasca, Zampieri 2010, Automatica 46(1),
    arXiv:0907.0748). Along fixed links: TOTAL is Q1-G (Aysal, Coates, Rabbat 2008, IEEE TSP 56(10))
    and COMPENSATING Q2-G, x + (W - I) Q(x) (Carli, Fagnani, Speranzon, Zampieri 2008, Automatica
    44(3)), so named by Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, section 3.1. The error of Q
    does not shrink with the distance to agreement.

    Worker i starts from x_0 - grad f_i(x_0), as in CHOCO-Gossip. Who meets nobody keeps its value.
    Where Q(x_i) stands in for what is lost, no rule keeps the mean.

    ``row_error`` is what is known of E||Q(x) - x||^2 [x^2] for rows that can occur, Q unbiased: of
    it, the compensating rule and one law of W_t follows the level at which the disagreement stalls
    (:mod:`theory.theorems.quantised_consensus`).

    Attributes:
        exchange: how values cross between workers: along fixed links, or at random meetings.
        compressor: the operator Q.
        own: the rule for a worker's own value, partially quantised, totally quantised or
            compensating.

    Raises:
        ValueError: row_error < 0; an exchange whose rows do not sum to 1, or of another number of
            workers.
    """

    exchange: Exchange
    compressor: Compressor
    own: OwnValue = OwnValue.COMPENSATING
    row_error: float | None = None

    def __post_init__(self) -> None:
        check_averages(self.exchange)
        if self.row_error is not None and not self.row_error >= 0:
            raise ValueError(
                f"row_error must be at least 0 [x^2], got row_error={self.row_error}; d D^2/4 "
                "would do for a grid of width D with random rounding"
            )

    @property
    def name(self) -> str:
        rule = self.own.value
        return f"quantised consensus, {rule}, {self.exchange.name}, {self.compressor.name}"

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants().merge(self.exchange.constants())
        own = operator_constants(self.compressor, problem.d).without("absolute_error")
        stated = stated.merge(spread_at_start(problem)).merge(own)
        moved = self.exchange.movement()
        if moved is None or self.row_error is None or self.own is not OwnValue.COMPENSATING:
            return stated
        known = Statement(Kind.UPPER, "every tick", "row error times E||W - I||_F^2")
        return stated.state(known, absolute_error=self.row_error * moved)

    def unfit(self, problem: Problem) -> str:
        return unfit_to_average(problem)

    def init(self, x0: Tensor, context: RunContext) -> AveragingState:
        check_size(self.exchange, context, "exchange")
        return averaging_start(x0, context)

    def step(self, state: AveragingState, t: int, context: RunContext) -> AveragingState:
        packet = context.pack(self.compressor.at_step(t), state.x, t)
        mixed, read = self.exchange.mix(packet, t, context)
        if self.own is OwnValue.COMPENSATING:
            return AveragingState(state.x + (mixed - read))
        kept = self.exchange.meeting(t, context).kept[..., context.network.workers]
        weight = kept.to(state.x)[..., None]
        if self.own is OwnValue.PARTIAL:
            mixed = mixed + weight * (state.x - read)
        return AveragingState(torch.where(weight == 1, state.x, mixed))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        if self.own is not OwnValue.COMPENSATING:
            return None
        x, said, incoming, apart = Register(), Register(), Register(), Register()
        step = Program(
            (
                sent(said, x),
                mixed(incoming, said),
                subtract(apart, incoming, said),
                plus_scaled(x, x, 1.0, apart),
            )
        )
        links = self.exchange.links()
        return neighbour_block(
            context, t, NeighbourPlan((x,), (step,), links, None, self.compressor)
        )

    def models(self, state: AveragingState) -> Tensor:
        return state.x

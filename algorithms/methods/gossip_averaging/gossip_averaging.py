"""Averaging by gossip: x <- W x, with fixed weights or random meetings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.exchange import Exchange
from algorithms.methods.parts.checks import check_averages, check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, mixed
from algorithms.problems.base import Problem
from theory.constants import Constants, Kind, Statement

_ROUNDING = 1e-9  # of a gradient


class AveragingState(NamedTuple):
    """Each worker's value ``[..., m, d]``.

    Attributes:
        x: the values ``[..., m, d]``.
    """

    x: Tensor

    @property
    def public(self) -> Tensor:
        """Model as known to others: nothing is lost in a message."""
        return self.x


@final
@dataclass(frozen=True)
class GossipAveraging(Method[AveragingState]):
    r"""$x_i^{t+1} = \sum_j W_{ij} x_j^t$, no gradients after the start.

    Along fixed links it is a linear iteration (DeGroot 1974; weights: Xiao, Boyd 2004, Systems and
    Control Letters 53); negative weights, where the topology means them, do. At meetings a step is
    a tick: W_t is drawn afresh, and where a random node calls a random neighbour and both take
    their mean it is randomised gossip (Boyd, Ghosh, Prabhakar, Shah 2006, IEEE Trans. Inf. Theory
    52(6), Section II); ``lam`` is then stated in mean square. With losses, the own value standing
    in for what is lost, all agree, but on a mean that has drifted.

    Worker i starts from $x_0 - \nabla f_i(x_0)$: on $f_i(x) = \|x - b_i\|^2 / 2$ this is $b_i$,
    and the limit, the mean of the $b_i$, is the minimiser of f.

    Attributes:
        exchange: how values cross between workers, and the matrices W that this amounts to.

    Raises:
        ValueError: rows of the exchange that do not sum to 1, or another number of workers.
    """

    exchange: Exchange

    def __post_init__(self) -> None:
        check_averages(self.exchange)

    @property
    def name(self) -> str:
        return f"{self.exchange.averaging}, {self.exchange.name}"

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants().merge(self.exchange.constants())
        return stated.merge(spread_at_start(problem))

    def unfit(self, problem: Problem) -> str:
        return unfit_to_average(problem)

    def init(self, x0: Tensor, context: RunContext) -> AveragingState:
        check_size(self.exchange, context, "exchange")
        return averaging_start(x0, context)

    def step(self, state: AveragingState, t: int, context: RunContext) -> AveragingState:
        return AveragingState(self.exchange.mixed(state.x, t, context))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, ahead = Register(), Register()
        step = Program((mixed(ahead, x),), swaps=((x, ahead),))
        return neighbour_block(context, t, NeighbourPlan((x,), (step,), self.exchange.links()))

    def models(self, state: AveragingState) -> Tensor:
        return state.x


def starts(x: Tensor, workers: Tensor, problem: Problem) -> Tensor:
    """x - grad f_i(x) of ``workers`` ``[m]`` at x ``[..., m or 1, d]``: what is averaged."""
    return x - problem.full_gradient(x, workers)


def unfit_to_average(problem: Problem) -> str:
    """Reason averaging alone does not minimise the problem, in words; empty where it does: the mean
    x_0 - grad f(x_0) of what is averaged must be a minimiser."""
    x = problem.start()
    g = problem.mean_gradient(x)
    if float(problem.mean_gradient(x - g).norm()) <= _ROUNDING * (1 + float(g.norm())):
        return ""
    return (
        "the row averages x_0 - grad f_i(x_0) and takes no gradient after the start, which "
        "minimises f where f_i(x) = ||x - b_i||^2 / 2 only; consensus would do"
    )


def averaging_start(x0: Tensor, context: RunContext) -> AveragingState:
    """x_0 - grad f_i(x_0), from which averaging starts."""
    x = context.rows(x0, len(context.network.workers))
    return AveragingState(starts(x, context.network.workers, context.problem))


def spread_at_start(problem: Problem) -> Constants:
    """sum_i ||x_i - xbar||^2 where averaging starts."""
    everyone = torch.arange(problem.n, device=problem.device)
    rows = starts(problem.start()[None], everyone, problem)
    known = Statement(Kind.EXACT, "x_0", "sum of squares about the mean")
    return Constants().state(known, initial_potential=float((rows - rows.mean(0)).square().sum()))

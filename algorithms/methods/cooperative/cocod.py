"""CoCoD-SGD: local steps go on while the last models are averaged."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import NamedTuple, final

from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.cooperative.cocod_block import CocodBlock
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize


class CoCoDState(NamedTuple):
    """Each worker's model and the one it sent at the last meeting, both ``[..., m, d]``.

    Attributes:
        x: each worker's model ``[..., m, d]``.
    """

    x: Tensor
    sent: Tensor


@final
@dataclass(frozen=True)
class CoCoD(Method[CoCoDState]):
    r"""x_i \leftarrow \frac1n\sum_j y_j + (x_i - y_i), y_i the model sent at the last meeting.

    Between meetings (H | t+1) workers take local steps x_i \mathrel{-}= \gamma_t g_i(x_i), while
    the mean of the y_j is on its way: what a worker hears is one period old, what it did meanwhile
    is kept. The message is charged when it arrives; on a stopwatch it has been on its way
    since. (Shen et al. 2019, arXiv:1906.12043, Algorithm 1.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.

    Raises:
        ValueError: period < 1.
    """

    step_rule: Stepsize
    period: int

    def __post_init__(self) -> None:
        require_int("period", self.period, 1)

    @property
    def name(self) -> str:
        return f"CoCoD-SGD, H={self.period}"

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants().uniform("G2")  # old means and new steps may leave SGD's ball
        return stated.state(H_stale=self.period)  # no H: averages are not fresh

    def init(self, x0: Tensor, context: RunContext) -> CoCoDState:
        x = context.rows(x0, len(context.network.workers))
        return CoCoDState(x, x)

    def step(self, state: CoCoDState, t: int, context: RunContext) -> CoCoDState:
        x = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        if (t + 1) % self.period:
            return CoCoDState(x, state.sent)
        watch = context.network.stopwatch
        with nullcontext() if watch is None else watch.overlapped():
            mean, _ = context.network.average(context.pack(Identity(), state.sent, t))
            met = context.published(mean, t) + (x - state.sent)
        return CoCoDState(met, met)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(CocodBlock, context, t, self)

    def models(self, state: CoCoDState) -> Tensor:
        return state.x

"""Compressed SGD with communication delay: H local steps, then their sum is compressed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.memories.base import Memory, Round
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method, RunContext
from algorithms.methods.local_updates.local_sgd import LocalSGDState
from algorithms.methods.parts.constants import operator_constants
from algorithms.optimizers.base import SGD
from algorithms.optimizers.outer import PlainAverage
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.local import LocalParts, local_block
from algorithms.problems.base import Problem
from algorithms.synchronisation.periods import FixedPeriod
from theory.constants import Constants
from theory.stepsizes import Stepsize


@final
@dataclass(frozen=True)
class CommunicationDelay(Method[LocalSGDState]):
    r"""x_i moves alone for H steps, then x \leftarrow x - \frac1n \sum_i C(\Delta_i).

    \Delta_i = x - x_i + e_i, and e_i becomes \Delta_i - C(\Delta_i); all start anew from x. One
    message for H steps (Sattler et al. 2018, arXiv:1805.08768, Algorithm 1; Basu et al. 2019,
    arXiv:1906.02367). H = 1 is BSP with error feedback.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        period: steps H between meetings.
        compressor: the operator C that messages go through.
        memory: what a sender remembers of what it did not send.

    Raises:
        ValueError: period < 1, or a memory that does not hold steps.
    """

    step_rule: Stepsize
    period: int
    compressor: Compressor
    memory: Memory[Any] = field(default_factory=ErrorFeedback)

    def __post_init__(self) -> None:
        if self.period < 1:
            raise ValueError(f"period must be at least 1 local step, got period={self.period}")
        if not self.memory.holds_steps:
            raise ValueError(f"memory must hold steps, got memory={self.memory.name}")

    @property
    def name(self) -> str:
        return f"H={self.period} local steps, {self.compressor.name}, {self.memory.name}"

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants().uniform("G2").state(H=self.period)
        return stated.merge(operator_constants(self.compressor, problem.d))

    def init(self, x0: Tensor, context: RunContext) -> LocalSGDState:
        x = context.rows(x0, len(context.network.workers))
        memory = self.memory.init(x.shape, x0.dtype, x0.device)
        return LocalSGDState(x, (), context.rows(x0, 1), memory, ())

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        x = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        if (t + 1) % self.period:
            return state._replace(x=x)
        moved = state.anchor - x
        wanted = self.memory.before(state.memory, moved)
        guide = self.memory.guide(state.memory, moved)
        packet = context.pack(self.compressor.at_step(t), wanted, t, guide=guide)
        mean, sent = context.network.average(packet)
        mean = context.published(mean, t)
        common = state.anchor - mean
        kept = self.memory.after(state.memory, Round(moved, wanted, sent, mean))
        x = common.expand_as(x).contiguous()
        return state._replace(x=x, anchor=common, memory=kept)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        parts = LocalParts(
            self.step_rule, FixedPeriod(self.period), SGD(), False, self.compressor, self.memory,
            PlainAverage(),
        )  # fmt: skip
        return local_block(context, t, parts)

    def models(self, state: LocalSGDState) -> Tensor:
        return state.x

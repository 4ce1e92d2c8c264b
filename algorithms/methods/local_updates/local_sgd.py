"""Local SGD: some steps alone, then all models are averaged."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, final

from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.memories.base import Memory, NoMemory, Round
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.constants import operator_constants
from algorithms.optimizers.base import SGD, Optimizer
from algorithms.optimizers.momentum import Momentum
from algorithms.optimizers.outer import Outer, PlainAverage
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.local import LocalParts, local_block
from algorithms.problems.base import Problem
from algorithms.synchronisation.periods import FixedPeriod, Periods
from theory.constants import Constants
from theory.stepsizes import Stepsize


class AtMeetings(Enum):
    """Treatment of a worker's velocity when models are averaged."""

    KEPT = "kept"
    RESET = "reset"
    AVERAGED = "averaged"


class LocalSGDState(NamedTuple):
    """Each worker's model ``[..., m, d]``; its optimizer's state; where all began this block
    ``[..., 1, d]``; the memories of what was not sent; the server's state between blocks.

    Attributes:
        x: the models ``[..., m, d]``.
        velocity: the state of ``optimizer``.
        anchor: a, the model that all began this block from ``[..., 1, d]``.
        memory: the workers' memories of what was not sent.
    """

    x: Tensor
    velocity: Any = None
    anchor: Any = None
    memory: Any = None
    block: Any = None


@final
@dataclass(frozen=True)
class LocalSGD(Method[LocalSGDState]):
    r"""x_i^{t+1} = x_i^t - \gamma_t g_i(x_i^t), replaced by \frac1n \sum_j of it at a meeting.

    Models are averaged, not gradients. ``period`` H means meetings when H | t+1. (Stich 2019,
    arXiv:1805.09767, Algorithm 1.) Beyond that:

    - ``optimizer`` takes the local steps; ``velocity`` says what becomes of its state at a meeting
      (Yu, Jin, Yang 2019, arXiv:1905.03817, Algorithm 1: averaged, in a message of its own, which
      asks for a state of one row);
    - with a ``compressor`` or ``memory`` workers send C(a - x_i), a the model that all began from,
      and the mean model is a - \frac1n \sum_i C(a - x_i) (PQASGD: Jiang, Agrawal 2018; with error
      memory Qsparse-local-SGD: Basu et al. 2019, arXiv:1906.02367, Algorithm 1);
    - ``outer`` is what the server makes of the mean (BMUF: Chen, Huo 2016; FedAvg with a server
      rate and its adaptive forms: Reddi et al. 2020, arXiv:2003.00295; DiLoCo: Douillard et al.
      2023, arXiv:2311.08105; SlowMo: Wang et al. 2019, arXiv:1910.00643).

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.

    Raises:
        ValueError: period < 1.
    """

    step_rule: Stepsize
    period: int | Periods
    optimizer: Optimizer[Any] = field(default_factory=SGD)
    velocity: AtMeetings = AtMeetings.KEPT
    compressor: Compressor = field(default_factory=Identity)
    memory: Memory[Any] = field(default_factory=NoMemory)
    outer: Outer[Any] = field(default_factory=PlainAverage)

    def __post_init__(self) -> None:
        _ = self.periods

    @property
    def periods(self) -> Periods:
        """Schedule of the averaging steps."""
        return FixedPeriod(self.period) if isinstance(self.period, int) else self.period

    @property
    def increments(self) -> bool:
        """Whether workers send what changed rather than their models."""
        plain = isinstance(self.compressor, Identity) and isinstance(self.memory, NoMemory)
        return not plain

    @property
    def name(self) -> str:
        parts = [f"local SGD, {self.periods.name}"]
        if not isinstance(self.optimizer, SGD):
            parts.append(f"{self.optimizer.name} {self.velocity.value}")
        parts += [self.compressor.name, self.memory.name] if self.increments else []
        parts += [] if isinstance(self.outer, PlainAverage) else [self.outer.name]
        return ", ".join(parts)

    def constants(self, problem: Problem) -> Constants:
        stated, longest = problem.constants(), self.periods.longest
        if not (isinstance(self.optimizer, SGD) and isinstance(self.outer, PlainAverage)):
            inside = stated.uniform("G2")  # momentum leaves the ball of SGD's steps
            return inside.merge(self._with_momentum())  # no H: that is of the plain method
        if self.increments:
            stated = stated.merge(operator_constants(self.compressor, problem.d))
        return stated if longest is None else stated.state(H=longest)

    def _with_momentum(self) -> Constants:
        """Constants stated where velocities are averaged with the models, else none."""
        own, longest = self.optimizer, self.periods.longest
        averaged = self.velocity is AtMeetings.AVERAGED and isinstance(self.outer, PlainAverage)
        if not isinstance(own, Momentum) or own.nesterov or not averaged or longest is None:
            return Constants()
        return Constants().state(momentum=own.m, H_velocity=longest)

    def init(self, x0: Tensor, context: RunContext) -> LocalSGDState:
        """Start of all workers at x_0.

        Raises:
            ValueError: velocities are to be averaged, and the optimizer has none.
        """
        x, anchor = context.rows(x0, len(context.network.workers)), context.rows(x0, 1)
        velocity = self.optimizer.init(x)
        one_row = isinstance(velocity, Tensor) and velocity.shape == x.shape
        if self.velocity is AtMeetings.AVERAGED and not one_row:
            raise ValueError(
                f"velocity=averaged asks for an optimizer whose state is one row, got "
                f"{self.optimizer.name}; Momentum(0.9) or velocity=kept would do"
            )
        return LocalSGDState(
            x,
            velocity,
            anchor,
            self.memory.init(x.shape, x0.dtype, x0.device),
            self.outer.init(anchor),
        )

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        g = context.gradient(state.x, t)
        velocity, x = self.optimizer.descend(state.velocity, g, state.x, self.step_rule(t))
        state = state._replace(x=x, velocity=velocity)
        return self.meet(state, t, context) if self.periods.meets(t) else state

    def meet(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        """The state after the meeting that follows step t."""
        mean, memory = self._mean_model(state, t, context)
        block, anchor = self.outer.after_block(state.block, state.anchor, mean, self.step_rule(t))
        anchor = context.published(anchor, t)
        x = anchor.expand_as(state.x).contiguous()
        return LocalSGDState(x, self._velocity(state, t, context), anchor, memory, block)

    def _mean_model(self, state: LocalSGDState, t: int, context: RunContext) -> tuple[Tensor, Any]:
        """The mean of the models ``[..., 1, d]`` as the server knows it; the memories."""
        if not self.increments:
            return context.network.average(
                context.pack(Identity(), state.x, t)
            ).result, state.memory
        x, memory = state.anchor - state.x, self.memory.at_step(t)
        wanted, guide = memory.before(state.memory, x), memory.guide(state.memory, x)
        packet = context.pack(self.compressor.at_step(t), wanted, t, guide=guide)
        mean, sent = context.network.average(packet)
        return state.anchor - mean, memory.after(state.memory, Round(x, wanted, sent, mean))

    def _velocity(self, state: LocalSGDState, t: int, context: RunContext) -> Any:
        """The optimizer's state after a meeting."""
        if self.velocity is AtMeetings.RESET:
            return self.optimizer.init(state.x)
        if self.velocity is AtMeetings.KEPT:
            return state.velocity
        packet = context.pack(Identity(), state.velocity, t, purpose="velocity")
        mean, _ = context.network.average(packet)
        return context.published(mean, t, "mean velocity").expand_as(state.x).contiguous()

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        averaged = self.velocity is AtMeetings.AVERAGED
        if self.velocity is AtMeetings.RESET or (
            averaged and not isinstance(self.optimizer, Momentum)
        ):
            return None
        parts = LocalParts(
            self.step_rule, self.periods, self.optimizer, averaged, self.compressor, self.memory,
            self.outer,
        )  # fmt: skip
        return local_block(context, t, parts)

    def models(self, state: LocalSGDState) -> Tensor:
        return state.x

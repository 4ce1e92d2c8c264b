"""Faults planted in local updates: mistakes people make when workers meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.memories.base import Memory, Round
from algorithms.methods.base import Method, RunContext
from algorithms.methods.local_updates.adacomm import AdaComm, AdaCommState
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD, LocalSGDState
from algorithms.methods.local_updates.qsparse_async import AsyncQsparse, QsparseState
from algorithms.optimizers.momentum import Momentum
from algorithms.optimizers.outer import BlockMomentum, Outer
from algorithms.problems.base import Problem
from algorithms.problems.least_squares_data import rising
from algorithms.synchronisation.periods import Periods
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import IID, entry, one_objective
from proofs_check.evidence.local_updates.closed_forms import local_fixed_point
from proofs_check.evidence.local_updates.closed_forms_common import (
    adapted_periods,
    covariance_of_local_sgd,
    forced_decay,
)
from proofs_check.evidence.local_updates.closed_forms_variants import (
    async_qsparse,
    averaged_momentum,
    filtered_blocks,
    increments,
    lists_keep_the_mean,
    sending,
    spread_between_meetings,
    staggered,
)
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.methods.faulty.methods import GradientAveragingLocalSGD
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex


@final
@dataclass(frozen=True)
class LateMeetings(Periods):
    """Meets when H | t: at once after the first step, and then a step late."""

    right: Periods

    @property
    def name(self) -> str:
        return f"{self.right.name}, off by one"

    @property
    def longest(self) -> int | None:
        return self.right.longest

    def meets(self, t: int) -> bool:
        return t == 0 or self.right.meets(t - 1)


@final
@dataclass(frozen=True)
class Unfiltered(Outer[Tensor]):
    """BMUF whose workers go on from the average; only the filter hears of its momentum."""

    right: BlockMomentum

    @property
    def name(self) -> str:
        return f"{self.right.name}, restarted from the average"

    def init(self, x: Tensor) -> Tensor:
        return self.right.init(x)

    def update(self, state: Tensor, anchor: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        return self.right.update(state, anchor, mean)[0], mean


@final
@dataclass(frozen=True)
class Ahead(Outer[Tensor]):
    """BMUF that looks ahead with the old velocity where Nesterov's form has the new one."""

    right: BlockMomentum

    @property
    def name(self) -> str:
        return f"{self.right.name}, a block behind"

    def init(self, x: Tensor) -> Tensor:
        return self.right.init(x)

    def update(self, state: Tensor, anchor: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        classic = BlockMomentum(self.right.eta, self.right.zeta)
        return classic.update(state, anchor, mean)


@final
@dataclass(frozen=True)
class ResetFeedback(Memory[Tensor]):
    """Error memory that starts anew at every meeting."""

    right: Memory[Tensor]
    holds_steps: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"{self.right.name}, reset"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return self.right.init(shape, dtype, device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return self.right.before(state, x)

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return torch.zeros_like(self.right.after(state, round_))


@final
@dataclass(frozen=True)
class OldAnchor(FaultyMethod):
    """Increments are taken from the anchor of the block before, a copy that was not renewed."""

    right: LocalSGD

    def init(self, x0: Tensor, context: RunContext) -> LocalSGDState:
        state = self.right.init(x0, context)
        return state._replace(block=state.anchor)  # the plain average has no use for it

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        if not self.right.periods.meets(t):
            return self.right.step(state, t, context)
        after = self.right.step(state._replace(anchor=state.block), t, context)
        return after._replace(block=state.anchor)


@final
@dataclass(frozen=True)
class NoRoot(FaultyMethod):
    """AdaComm whose period follows F(x)/F(x_0), not its square root."""

    right: AdaComm

    def step(self, state: AdaCommState, t: int, context: RunContext) -> AdaCommState:
        after = self.right.step(state, t, context)
        square = torch.ceil(after.period.double() ** 2 / self.right.first).to(torch.int64)
        return after._replace(period=torch.where(after.due > state.due, square, after.period))

    def seconds(self, state: AdaCommState, t: int) -> Tensor | None:
        return self.right.seconds(state, t)


@final
@dataclass(frozen=True)
class SlowlyFalling(FaultyMethod):
    """AdaComm that forces periods which fall by a single step, too."""

    right: AdaComm

    def step(self, state: AdaCommState, t: int, context: RunContext) -> AdaCommState:
        after = self.right.step(state, t, context)
        slow = (after.due > state.due) & (after.period == state.period - 1)
        forced = (state.period * 3 // 4).clamp_min(1)
        return after._replace(period=torch.where(slow, forced, after.period))

    def seconds(self, state: AdaCommState, t: int) -> Tensor | None:
        return self.right.seconds(state, t)


@final
@dataclass(frozen=True)
class MeanWorker(FaultyMethod):
    """AdaComm's time where a meeting waits for the mean worker, not for the slowest."""

    right: AdaComm

    def step(self, state: AdaCommState, t: int, context: RunContext) -> AdaCommState:
        mean = state.clocks.mean(-1, keepdim=True).expand_as(state.clocks)
        return self.right.step(state._replace(clocks=mean), t, context)

    def seconds(self, state: AdaCommState, t: int) -> Tensor | None:
        return self.right.seconds(state, t)


def _resetting(
    step: Stepsize, period: int, operator: Compressor, memory: Memory[Any]
) -> Method[Any]:
    return sending(step, period, operator, ResetFeedback(memory))


def under_one_objective(setting: Callable[[], Problem]) -> Verdict:
    """Local SGD under the theorem that asks for one objective, taken for granted of ``setting``."""
    check = BoundCheck(
        "local-sgd", setting().name, local_sgd_nonconvex, setting,
        lambda step, _p, _t: LocalSGD(step, 16), 3000, one_objective,
    )  # fmt: skip
    return check.result().verdicts[0]


@wrong_step("one average of the last gradients", judge=spread_between_meetings, of=LocalSGD)
def gradients_at_meetings(
    own: LocalSGD, state: LocalSGDState, t: int, context: RunContext
) -> LocalSGDState:
    """at a meeting gradients are averaged, not models"""
    if not own.periods.meets(t):
        return own.step(state, t, context)
    g = context.gradient(state.x, t).mean(-2, keepdim=True)
    return state._replace(x=state.x - own.step_rule(t) * g)


@wrong_step("asynchronous Qsparse forgetting the silent", judge=async_qsparse, of=staggered)
def silent_forget(
    own: AsyncQsparse, state: QsparseState, t: int, context: RunContext
) -> QsparseState:
    """the memory of non-senders is overwritten"""
    after = own.step(state, t, context)
    met = own.meets(context.network.workers, context.network.n, t)
    return after._replace(memory=torch.where(met[:, None], after.memory, 0))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "local SGD's covariance with noise 10 % too large", "variance 1.1 v in the place of v",
        covariance_of_local_sgd, 1.1,
    ),
    MethodMutant(
        "PR-SGD with its momentum not averaged", "every worker keeps its own velocity",
        lambda: averaged_momentum(lambda step, p: LocalSGD(step, p, Momentum(0.8)))[1:],
        lambda: averaged_momentum()[1:],
    ),
    fault(
        "PR-SGD with its momentum reset", "velocities start from nought at a meeting",
        averaged_momentum, lambda step, p: LocalSGD(step, p, Momentum(0.8), AtMeetings.RESET),
    ),
    fault(
        "local SGD meeting a step late", "H | t for H | t + 1",
        spread_between_meetings, lambda step, p: LocalSGD(step, LateMeetings(p)),
    ),
    fault(
        "BMUF restarting from the average", "workers never hear of the filtered model",
        filtered_blocks, wrapped(Unfiltered, BlockMomentum),
    ),
    fault(
        "BMUF looking ahead a block late", "W + eta Delta with the old Delta",
        filtered_blocks, wrapped(Ahead, BlockMomentum),
    ),
    fault(
        "Qsparse with its residual reset", "the error memory is cleared at every meeting",
        increments, _resetting,
    ),
    fault(
        "increments from the previous anchor", "the anchor is renewed a meeting late",
        increments, wrapped(OldAnchor, sending),
    ),
    fault(
        "AdaComm without the root", "H follows F(x)/F(x_0)",
        adapted_periods, wrapped(NoRoot, AdaComm),
    ),
    fault(
        "AdaComm without forced decay", "the period stays where the loss does",
        forced_decay, lambda *args, decay: AdaComm(*args),
    ),
    fault(
        "AdaComm forcing slow falls", "a period that falls by one step is decayed instead",
        adapted_periods, wrapped(SlowlyFalling, AdaComm),
    ),
    fault(
        "AdaComm waiting for the mean worker", "a meeting does not wait for the slowest",
        adapted_periods, wrapped(MeanWorker, AdaComm),
    ),
    fault(
        "BMUF in the mean", "block momentum posing as plain averaging",
        lists_keep_the_mean, lambda step, p: LocalSGD(step, p, outer=BlockMomentum(0.5)),
    ),
    MethodMutant(
        "theorem without an assumption", "a bound for one objective where workers differ",
        lambda: under_one_objective(rising), lambda: under_one_objective(entry(IID)),
    ),
    fault(
        "local SGD averaging gradients", "the sync step of survey Eq. 9 as printed",
        local_fixed_point, GradientAveragingLocalSGD,
    ),
)  # fmt: skip

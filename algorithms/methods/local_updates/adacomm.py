"""AdaComm: a period that shrinks with the loss, for error against time (Wang and Joshi 2018)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.core.key import Draws
from algorithms.kernels.devices import put
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext, dense_bits
from algorithms.methods.local_updates.adacomm_block import AdaCommBlock
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from theory.constants import Constants
from theory.stepsizes import Stepsize


class AdaCommState(NamedTuple):
    """Each worker's model ``[..., m, d]``; per replica the period and the steps since the last
    meeting ``[...]``, the loss at the start, the hour of every worker ``[..., n]`` and when the
    period is set anew ``[...]`` [s].

    Attributes:
        x: the models ``[..., m, d]``.
        first_loss: F(x_0) ``[...]`` [f].
        clocks: the hour of every worker ``[..., n]`` [seconds].
        due: when the period is set anew ``[...]`` [seconds].
    """

    x: Tensor
    period: Tensor
    since: Tensor
    first_loss: Tensor
    clocks: Tensor
    due: Tensor


@final
@dataclass(frozen=True)
class AdaComm(Method[AdaCommState]):
    r"""Local SGD; H = \lceil \sqrt{F(\bar x)/F(x_0)}\,H_0 \rceil is set anew every T_0 seconds.

    Few meetings while the error is large and time is won by not communicating, many when the noise
    floor matters. (Wang, Joshi 2018, arXiv:1810.08313, Eq. 17 at a constant stepsize.) Where the
    rule does not shorten the period, ``decay`` c does: H \leftarrow \max(1, \lfloor cH \rfloor)
    (their Section 4.2, c = 1/2, for losses that stall; that it is rounded down is ours, so that no
    period above 1 stays). Time is modelled: ``timing`` says how long gradients and messages take;
    ``interval`` is T_0 [s]. F is the whole objective at the mean model, in the paper an estimate
    of it; the number is not charged. The period is set at the first meeting after it is due.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        decay: c in (0, 1); None leaves the rule alone, whose periods may stay and grow again.

    Raises:
        ValueError: first < 1, interval not positive, decay outside (0, 1), or a loss at x_0 that
            is not positive.
    """

    step_rule: Stepsize
    first: int
    interval: float
    timing: Timing = field(default_factory=lambda: STANDARD)
    decay: float | None = None

    def __post_init__(self) -> None:
        if self.first < 1:
            raise ValueError(f"first must be at least 1 local step, got first={self.first}")
        if not 0 < self.interval < math.inf:
            raise ValueError(
                f"interval must be positive and finite [s], got interval={self.interval}"
            )
        if self.decay is not None and not 0 < self.decay < 1:
            raise ValueError(
                f"decay must lie in (0, 1), got decay={self.decay}; None leaves the rule alone"
            )

    @property
    def name(self) -> str:
        forced = "" if self.decay is None else f", else {self.decay:g} of it"
        return f"AdaComm, H_0={self.first}, every {self.interval:g} s{forced}"

    def timed_by(self, timing: Timing, slower: float) -> AdaComm:
        """The same with periods set by another model of time, in which a gradient takes ``slower``
        times as long: T_0 is as many gradients."""
        return replace(self, timing=timing, interval=self.interval * slower)

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants()
        if self.decay is None:
            return stated  # the period may grow again: no H holds for all steps
        return stated.state(H=self.first)  # a forced period never grows

    def init(self, x0: Tensor, context: RunContext) -> AdaCommState:
        """The starting point, the loss there, and all clocks at 0.

        Raises:
            ValueError: the loss at x_0 is not positive.
        """
        shape = context.replicas.shape
        loss = context.problem.value(x0).double().cpu().expand(shape)
        if not bool((loss > 0).all()):
            raise ValueError(
                f"the loss at x_0 must be positive to set periods by, got {float(loss.min())}; "
                "add a constant to the objective"
            )
        count = torch.full(shape, self.first, dtype=torch.int64)
        clocks = torch.zeros((*shape, context.network.n), dtype=torch.float64)
        due = torch.full(shape, self.interval, dtype=torch.float64)
        rows = context.rows(x0, len(context.network.workers))
        return AdaCommState(rows, count, torch.zeros_like(count), loss, clocks, due)

    def step(self, state: AdaCommState, t: int, context: RunContext) -> AdaCommState:
        x = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        clocks = self.later(state.clocks, t, context)
        since = state.since + 1
        meets = since >= state.period
        state = state._replace(x=x, clocks=clocks, since=torch.where(meets, 0, since))
        return self._met(state, meets, t, context) if bool(meets.any()) else state

    def later(self, clocks: Tensor, t: int, context: RunContext) -> Tensor:
        """The hour of every worker ``[..., n]`` after the gradient of step t."""
        draws = self.clocks(context).fold("seconds", t)
        return clocks + self.timing.times.seconds(draws, 1, t)[..., 0]

    @staticmethod
    def clocks(context: RunContext) -> Draws:
        """What everybody's times are drawn from, step by step."""
        return context.key.draws(context.replicas_on_host, torch.arange(context.network.n))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(AdaCommBlock, context, t, self)

    def _met(self, state: AdaCommState, meets: Tensor, t: int, context: RunContext) -> AdaCommState:
        """The replicas ``meets`` average, and those that are due set their period."""
        network, x = context.network, state.x
        subset = put(meets[..., None], x.device)
        packet = context.pack(Identity(), x, t, sends=subset.expand(x.shape[:-1]))
        mean, _ = network.average(packet)
        incoming = context.broadcast(mean, subset.expand(*meets.shape, network.n), t)
        x = torch.where(subset[..., None], incoming, x).contiguous()
        link = self.meeting_seconds(x.shape[-1], x.dtype)
        latest = state.clocks.amax(-1, keepdim=True) + link
        clocks = torch.where(meets[..., None], latest, state.clocks)
        due = meets & (latest[..., 0] >= state.due)
        period = state.period
        if bool(due.any()):
            set_anew = self.next_period(mean, state.first_loss, period, context.problem)
            period = torch.where(due, set_anew, period)
        later = torch.where(due, latest[..., 0] + self.interval, state.due)
        return state._replace(x=x, clocks=clocks, period=period, due=later)

    def meeting_seconds(self, d: int, dtype: torch.dtype) -> float:
        """How long the messages of a meeting take [s]."""
        bits, rounds = dense_bits(d, dtype), self.timing.rounds
        there_and_back: float = (
            2 * self.timing.link.seconds(bits, 1) if rounds is None else rounds.round_seconds(bits)
        )
        return there_and_back

    def next_period(
        self, mean: Tensor, first_loss: Tensor, now: Tensor, problem: Problem
    ) -> Tensor:
        """Periods by the rule ``[...]``, at least 1, where the models' mean is ``mean``
        ``[..., 1, d]`` and the period has been ``now``."""
        loss = problem.value(mean[..., 0, :]).double().cpu().clamp_min(0)
        wanted = torch.ceil((loss / first_loss).sqrt() * self.first)
        period = wanted.nan_to_num(1.0, 1.0, 1.0).clamp(1, 2**31).to(torch.int64)
        if self.decay is None:
            return period
        forced = torch.floor(self.decay * now).clamp_min(1).to(torch.int64)
        return torch.where(period < now, period, forced)

    def models(self, state: AdaCommState) -> Tensor:
        return state.x

    def seconds(self, state: AdaCommState, t: int) -> Tensor | None:
        return state.clocks.amax(-1)

    def computed(self, state: AdaCommState, t: int) -> Tensor | None:
        return torch.full_like(state.clocks[..., 0], t)

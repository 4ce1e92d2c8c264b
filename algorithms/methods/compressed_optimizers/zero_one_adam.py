"""0/1 Adam (Lu, Li, Zhang, De Sa, He 2022, arXiv:2202.06009)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.adam_moments import AdamMoments
from algorithms.methods.parts.two_way_mean import two_way_mean, two_way_rows
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, PlanMessage, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    add,
    copy,
    divide,
    gathered,
    gradient,
    quotient,
    registers,
    scale,
    subtract,
    told,
    zero,
)
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize


class ZeroOneAdamState(NamedTuple):
    """Models and momenta of all workers, and what the ends of the wire have not sent yet.

    Attributes:
        x: the workers' models ``[..., m, d]``.
        anchor: the model at the last meeting ``[..., 1, d]``.
        first: momenta m_i ``[..., m, d]``.
        second: v ``[..., 1, d]``, the same for all.
        update: u_i, what was walked since the last meeting before division ``[..., m, d]``.
        residual: e_i of the workers ``[..., m, d]``.
        server: e_s of the server ``[..., 1, d]``.
    """

    x: Tensor
    anchor: Tensor
    first: Tensor
    second: Tensor
    update: Tensor
    residual: Tensor
    server: Tensor


@final
@dataclass(frozen=True)
class ZeroOneAdam(Method[ZeroOneAdamState]):
    r"""Adam whose v is refreshed seldom, and whose workers meet seldom, by one bit a coordinate.

    At steps of the set T_v gradients are averaged uncompressed and v = \beta_2 v + (1 - \beta_2)
    g^2. At every step m_i = \beta_1 m_i + (1 - \beta_1) g_i, u_i += \gamma m_i,
    x_i -= \gamma m_i / (\sqrt v + \epsilon). At steps of T_u the u_i are averaged by C with error
    feedback of workers and server to u; then m_i = u / \sum \gamma of the steps since the last
    meeting, x_i = its model there - u / (\sqrt v + \epsilon), u_i = 0 (Algorithm 1, recalled).

    The first ``warm`` steps are in both sets. Then a round has ``period`` steps, the last in T_u,
    and rounds 0, 1, 2, 4, 8, ... begin with a step of T_v: v is the same within a round. v is
    refreshed before it is used, so that with all steps in both sets and C the identity it is Adam
    (without correction of the start, as :class:`AdamMoments` has it).

    Attributes:
        step_rule: the stepsizes \gamma_t [x] by step t.
        warm: first steps, each of which refreshes v and meets.
        period: steps of a round after them.
        compressor: C, of workers and server.
        moments: decays of m and v, and \epsilon.

    Raises:
        ValueError: warm < 1, without which v would be that of one step, or period < 1.
    """

    step_rule: Stepsize
    warm: int
    period: int = 4
    compressor: Compressor = field(default_factory=ScaledSign)
    moments: AdamMoments = field(default_factory=AdamMoments)

    def __post_init__(self) -> None:
        require_int("warm", self.warm, 1)
        require_int("period", self.period, 1)

    @property
    def name(self) -> str:
        return f"0/1 Adam({self.compressor.name}, warm-up {self.warm}, H={self.period})"

    @property
    def server_operator(self) -> Compressor:
        return self.compressor

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def began(self, t: int) -> int:
        """First step of the round of step t."""
        return t if t < self.warm else t - (t - self.warm) % self.period

    def meets(self, t: int) -> bool:
        """Whether step t is in T_u."""
        return t < self.warm or (t - self.warm + 1) % self.period == 0

    def refreshes(self, t: int) -> bool:
        """Whether step t is in T_v."""
        number, within = divmod(t - self.warm, self.period)
        return t < self.warm or (within == 0 and number & (number - 1) == 0)

    def init(self, x0: Tensor, context: RunContext) -> ZeroOneAdamState:
        x, one = context.rows(x0, len(context.network.workers)), context.rows(x0, 1)
        many, single = torch.zeros_like(x), torch.zeros_like(one)
        return ZeroOneAdamState(x, one, many, single, many, many, single)

    def step(self, state: ZeroOneAdamState, t: int, context: RunContext) -> ZeroOneAdamState:
        g = context.gradient(state.x, t)
        second = self._refreshed(state.second, g, t, context)
        first = self.moments.first(state.first, g)
        walked = self.step_rule(t) * first
        update, scale = state.update + walked, self.moments.scale(second)
        if not self.meets(t):
            return state._replace(
                x=state.x - walked / scale, first=first, second=second, update=update
            )
        incoming, residual, server = two_way_mean(
            update, state.residual, state.server, self.compressor.at_step(t), t, context
        )
        rates = self._rates(t)
        x = state.anchor - incoming / scale
        return ZeroOneAdamState(
            x.expand_as(state.x).clone(),
            x,
            (incoming / rates).expand_as(first).clone(),
            second,
            torch.zeros_like(update),
            residual,
            server,
        )

    def _refreshed(self, second: Tensor, g: Tensor, t: int, context: RunContext) -> Tensor:
        if not self.refreshes(t):
            return second
        mean, _ = context.network.average(context.pack(Identity(), g, t, purpose="gradient"))
        return self.moments.second(second, context.published(mean, t, "mean gradient"))

    def _rates(self, t: int) -> float:
        """Sum of the stepsizes of the round of step t, up to that."""
        return sum(self.step_rule(k) for k in range(self.began(t), t + 1))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, first, update, residual, g, walked = registers(6)
        anchor, second, server, incoming, root, mean = registers(6, lone=True)
        moments = self.moments
        refreshed = gathered(mean, g), told(), *moments.second_rows(second, mean)
        walk = (
            moments.first_rows(first, first, g),
            scale(walked, self.step_rule, first),
            add(update, update, walked),
            moments.scale_rows(root, second),
        )
        alone = quotient(walked, walked, root), subtract(x, x, walked)
        met = (
            *two_way_rows(incoming, update, residual, server),
            quotient(mean, incoming, root),
            subtract(anchor, anchor, mean),
            copy(x, anchor),
            divide(mean, incoming, lambda s: self._rates(s) if self.meets(s) else 1),
            copy(first, mean),
            zero(update),
        )
        kinds = (*walk, *alone), (*refreshed, *walk, *alone), (*walk, *met), (
            *refreshed, *walk, *met,
        )  # fmt: skip
        plan = NeighbourPlan(
            (x, anchor, first, second, update, residual, server),
            tuple(Program((gradient(g, x), *one)) for one in kinds), None, drawn_gradient(context),
            self.compressor, program=lambda s: int(self.refreshes(s)) + 2 * int(self.meets(s)),
            further=(PlanMessage(self.compressor, "publish"),),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: ZeroOneAdamState) -> Tensor:
        return state.x

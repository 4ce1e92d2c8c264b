"""1-bit Adam (Tang, Gan, Awan, Rajbhandari, Li, Lian, Liu, Zhang, He 2021, arXiv:2102.02888)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

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
    Operation,
    Program,
    copy,
    gathered,
    gradient,
    plus_scaled,
    quotient,
    registers,
    told,
)
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize


class OneBitAdamState(NamedTuple):
    """Model and moments, known to all, and what each end of the wire has not sent yet.

    Attributes:
        x: the model ``[..., 1, d]``.
        first: m, the momentum that all heard ``[..., 1, d]``.
        second: v ``[..., 1, d]``, which stays after the warm-up.
        residual: e_i of the workers ``[..., m, d]``.
        server: e_s of the server ``[..., 1, d]``.
    """

    x: Tensor
    first: Tensor
    second: Tensor
    residual: Tensor
    server: Tensor


@final
@dataclass(frozen=True)
class OneBitAdam(Method[OneBitAdamState]):
    r"""Adam for ``warm`` steps; then v stays, and momenta go with one bit a coordinate both ways.

    Warm-up: gradients are averaged uncompressed, x = x - \gamma m / (\sqrt v + \epsilon). After it
    m_i = \beta_1 m + (1 - \beta_1) g_i, c_i = C(m_i + e_i), e_i = m_i + e_i - c_i; the server sends
    m = C(mean c_i + e_s) and keeps the rest as e_s; x = x - \gamma m / (\sqrt v + \epsilon)
    (Algorithm 1). Moments are not corrected for their start at 0, in the paper's way.

    With C the identity it is SGD with momentum, preconditioned by 1/(\sqrt v + \epsilon). Without
    ``frozen`` gradients are sent in the place of momenta and v goes on with what is heard: Adam
    with error feedback, whose v is that of a message of one scale.

    Attributes:
        step_rule: the stepsizes \gamma_t [x] by step t.
        warm: steps of uncompressed Adam before v is frozen.
        compressor: C, of workers and server; in chunks, a scale each, where the wire is.
        moments: decays of m and v, and \epsilon.
        frozen: whether v stays after the warm-up.

    Raises:
        ValueError: warm < 1, without which v would stay at 0.
    """

    step_rule: Stepsize
    warm: int
    compressor: Compressor = field(default_factory=ScaledSign)
    moments: AdamMoments = field(default_factory=AdamMoments)
    frozen: bool = True

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("warm", self.warm, 1)

    @property
    def name(self) -> str:
        tail = "" if self.frozen else ", v not frozen"
        return f"1-bit Adam({self.compressor.name}, warm-up {self.warm}{tail})"

    @property
    def server_operator(self) -> Compressor:
        return self.compressor

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def init(self, x0: Tensor, context: RunContext) -> OneBitAdamState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        zero = torch.zeros_like(x)
        return OneBitAdamState(x, zero, zero, torch.zeros_like(rows), zero)

    def step(self, state: OneBitAdamState, t: int, context: RunContext) -> OneBitAdamState:
        if t < self.warm:
            return self._adam(state, t, context)
        g = context.gradient(state.x, t)
        wanted = self.moments.first(state.first, g) if self.frozen else g
        incoming, residual, server = two_way_mean(
            wanted, state.residual, state.server, self.compressor.at_step(t), t, context
        )
        if self.frozen:
            first, second = incoming, state.second
        else:
            first = self.moments.first(state.first, incoming)
            second = self.moments.second(state.second, incoming)
        x = self._moved(state.x, first, second, t)
        return OneBitAdamState(x, first, second, residual, server)

    def _adam(self, state: OneBitAdamState, t: int, context: RunContext) -> OneBitAdamState:
        packet = context.pack(Identity(), context.gradient(state.x, t), t)
        mean, _ = context.network.average(packet)
        g = context.published(mean, t)
        first, second = self.moments.first(state.first, g), self.moments.second(state.second, g)
        return state._replace(x=self._moved(state.x, first, second, t), first=first, second=second)

    def _moved(self, x: Tensor, first: Tensor, second: Tensor, t: int) -> Tensor:
        return x - self.step_rule(t) * (first / self.moments.scale(second))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        (residual, g, wanted), moments = registers(3), self.moments
        x, first, second, server, incoming, taken, root = registers(7, lone=True)
        moved = (
            moments.scale_rows(root, second),
            quotient(taken, first, root),
            plus_scaled(x, x, lambda s: -self.step_rule(s), taken),
        )
        grown = moments.first_rows(first, first, incoming), *moments.second_rows(second, incoming)
        warm = gradient(g, x), gathered(incoming, g), told(), *grown, *moved
        opened = copy(wanted, g)
        closed: tuple[Operation, ...] = grown
        if self.frozen:
            opened, closed = moments.first_rows(wanted, first, g), (copy(first, incoming),)
        later = (
            gradient(g, x),
            opened,
            *two_way_rows(incoming, wanted, residual, server),
            *closed,
            *moved,
        )
        plan = NeighbourPlan(
            (x, first, second, residual, server), (Program(warm), Program(later)), None,
            drawn_gradient(context), self.compressor, program=lambda s: int(s >= self.warm),
            further=(PlanMessage(self.compressor, "publish"),),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: OneBitAdamState) -> Tensor:
        return state.x

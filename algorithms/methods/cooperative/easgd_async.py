"""Elastic averaging SGD without a common clock: each worker meets the centre on its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.core.decays import require_decay
from algorithms.kernels.client_events import ELASTIC_EVENTS
from algorithms.kernels.devices import put
from algorithms.kernels.mean import sum_rows
from algorithms.kernels.row_parts import RowPart, ready
from algorithms.methods.base import RunContext, dense_bits
from algorithms.methods.parts.scheduled import Scheduled, places
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps, rows_of
from algorithms.pipeline.events import EventBlock, all_rows, event_block
from algorithms.problems.base import Problem, require_int, require_number
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants
from theory.stepsizes import Stepsize


class AsyncEASGDState(NamedTuple):
    """The centre ``[..., 1, d]``; the workers' models and velocities ``[..., m + 1, d]``, the last
    row for nobody and for workers elsewhere; gradients each has made ``[..., n + 1]``; the plan.

    Attributes:
        local: the workers' models ``[..., m + 1, d]``.
        velocity: their velocities v ``[..., m + 1, d]``.
        schedule: the plan of arrivals, the same throughout the run.
    """

    centre: Tensor
    local: Tensor
    velocity: Tensor
    made: Tensor
    schedule: Schedule


@final
@dataclass(frozen=True)
class AsyncEASGD(Scheduled[AsyncEASGDState]):
    r"""Worker i at its own clock t^i: if \tau | t^i, x_i \mathrel{-}= \alpha(x - c) and
    c \mathrel{+}= \alpha(x - c); then x_i \mathrel{-}= \gamma g_i(x), x its model before.

    A tick is one worker's gradient; ``period`` is tau. With ``momentum`` delta > 0 (EAMSGD):
    v_i = \delta v_i - \gamma g_i(x + \delta v_i), x_i \mathrel{+}= v_i. The model is the centre.
    Each meeting costs one message up and one down. (Zhang, Choromanska, LeCun 2015,
    arXiv:1412.6651, Algorithms 1 and 2.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        times: how long the gradients of each worker take [seconds].
        schedule_seed: seed of the compute times that make the schedule.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.
        barrier: lets one worker arrive at a tick: asynchronous, or what was recorded.

    Raises:
        ValueError: ticks < 1, period < 1, alpha < 0, momentum outside [0, 1); those of a schedule.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    alpha: float
    period: int = 1
    momentum: float = 0.0
    schedule_seed: int = 0
    replicas: int = 64
    barrier: Barrier = field(default_factory=Asynchronous)

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("ticks", self.ticks, 1)
        require_int("period", self.period, 1)
        require_number("alpha", self.alpha)
        require_decay("momentum", self.momentum)

    @property
    def name(self) -> str:
        kind = f"EAMSGD, delta={self.momentum:g}" if self.momentum else "EASGD"
        return f"asynchronous {kind}, alpha={self.alpha:g}, H={self.period}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> AsyncEASGDState:
        schedule = self.plan(context)
        local = context.rows(x0, len(context.network.workers) + 1)
        shape = (*context.replicas.shape, context.network.n + 1)
        made = torch.zeros(shape, dtype=torch.int64, device=local.device)
        return AsyncEASGDState(context.rows(x0, 1), local, torch.zeros_like(local), made, schedule)

    def step(self, state: AsyncEASGDState, t: int, context: RunContext) -> AsyncEASGDState:
        network, gamma, delta = context.network, self.step_rule(t), self.momentum
        subset = put(state.schedule.tick(t).arrivals, state.centre.device)
        place = places(subset, network, state.local)
        x, v = state.local.gather(-2, place), state.velocity.gather(-2, place)
        g = context.checked(
            context.gradient_of(x + delta * v, subset, self.number(state, t)), t, subset
        )
        v = delta * v - gamma * g
        meets = state.made.gather(-1, subset) % self.period == 0
        pulled, centre = self._pulled(
            state.centre, x, torch.where(meets, subset, network.n), t, context
        )
        return AsyncEASGDState(
            centre,
            state.local.scatter(-2, place, pulled + v),
            state.velocity.scatter(-2, place, v),
            state.made.scatter_add(-1, subset, torch.ones_like(subset)),
            state.schedule,
        )

    def _pulled(
        self, centre: Tensor, x: Tensor, meeting: Tensor, t: int, context: RunContext
    ) -> tuple[Tensor, Tensor]:
        """Models x ``[..., k, d]`` of those ``meeting`` ``[..., k]`` (n: nobody), and the centre,
        after they pulled at each other."""
        arrived = context.uploaded(Identity(), x, meeting, t)
        incoming = context.answered(centre, meeting, t)
        present = (meeting < context.network.n)[..., None]
        pulls = torch.where(present, self.alpha * (arrived - centre), 0)
        own = torch.where(present, x - self.alpha * (x - incoming), x)
        return own, centre + sum_rows(pulls, keepdim=True)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return None if self.barrier.counts_by_worker else event_block(ElasticBlock, context, self)

    def models(self, state: AsyncEASGDState) -> Tensor:
        return state.centre


@final
class ElasticBlock(EventBlock):
    """Ticks of :class:`AsyncEASGD`."""

    def __init__(self, place: Place, gradient: RowPart, method: AsyncEASGD) -> None:
        super().__init__(place, gradient, method.step_rule, {})
        self.parts = (
            ready(gradient.function, "gradient", self.dtype), gradient.numbers,
            dense_bits(self.d, self.dtype), method.period,
            np.array([method.alpha, method.momentum], self.kind),
        )  # fmt: skip

    def tensors(self, state: AsyncEASGDState) -> Arrays:
        return (
            rows_of(state.centre)[:, 0], all_rows(state.local), all_rows(state.velocity),
            state.made.reshape(-1, self.n + 1).clone().numpy(),
        )  # fmt: skip

    def run(self, arrays: Arrays, steps: Steps) -> int:
        found: int = ELASTIC_EVENTS.for_dtype(self.dtype)(
            *self.parts, *arrays[:6], steps.gammas, steps.t, self.words(steps, "gradient"),
            steps.replicas,
        )  # fmt: skip
        return found

    def leave(self, arrays: Arrays, state: AsyncEASGDState) -> AsyncEASGDState:
        centre, local, velocity, made = (torch.from_numpy(part) for part in arrays[:4])
        return state._replace(
            centre=centre.view(state.centre.shape),
            local=local.view(state.local.shape),
            velocity=velocity.view(state.local.shape),
            made=made.view(state.made.shape),
        )

"""Hogwild: lock-free updates of a shared model that is read while others write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.nonzero import NonZero
from algorithms.kernels.client_events import SHARED_EVENTS
from algorithms.kernels.devices import put
from algorithms.kernels.mean import sum_rows
from algorithms.kernels.row_parts import RowPart, filled_in, ready
from algorithms.methods.base import RunContext, dense_bits
from algorithms.methods.parts.constants import operator_constants
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps
from algorithms.pipeline.events import EventBlock, all_rows, event_block, unchanging
from algorithms.problems.base import Problem, require_int
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants
from theory.stepsizes import Stepsize


class HogwildState(NamedTuple):
    """The last tau + 1 versions of the shared model ``[..., tau + 1, d]``, version t in row
    t mod (tau + 1), of which ``newest`` is the last; the plan.

    Attributes:
        schedule: the plan of arrivals, the same throughout the run.
    """

    versions: Tensor
    newest: int
    schedule: Schedule


@final
@dataclass(frozen=True)
class Hogwild(Scheduled[HogwildState]):
    r"""x_{t+1} = x_t - \gamma_t\, g_i(\hat x_t), [\hat x_t]_j = [x_{v_{t,j}}]_j, read by and by.

    Nobody locks. The worker that writes at tick t began to read at version v_t, which its
    ``schedule`` names, and read coordinate j at a version v_{t,j} drawn uniformly from
    v_t, ..., v_t + \lfloor spread (t - v_t) \rfloor: ``spread`` is the share of the gradient's time
    in which it reads; 0 is a consistent read, the asynchronous parameter server. A write adds to
    the coordinates where the gradient is not zero and touches no other, so the message is their
    list. The bound tau of t - v_{t,j} is the schedule's largest staleness. (Niu, Recht, Re, Wright
    2011, arXiv:1106.5730, Algorithm 1, whole supports being written; reads per coordinate as in De
    Sa et al. 2015, arXiv:1506.06438, and AsySG-incon, Lian et al. 2015, arXiv:1506.08272.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        times: how long the gradients of each worker take [seconds].
        compressor: how a write is listed; the default lists the entries that are not zero.
        schedule_seed: seed of the compute times that make the schedule.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.

    Raises:
        ValueError: ticks < 1, spread outside [0, 1]; those of a schedule.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    spread: float = 1.0
    compressor: Compressor = field(default_factory=NonZero)
    barrier: ClassVar[Barrier] = Asynchronous()
    schedule_seed: int = 0
    replicas: int = 64

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("ticks", self.ticks, 1)
        if not 0 <= self.spread <= 1:
            raise ValueError(f"spread must lie in [0, 1], got spread={self.spread}")

    @property
    def name(self) -> str:
        return f"Hogwild(spread {self.spread:g}), {self.compressor.name}"

    def constants(self, problem: Problem) -> Constants:
        known, own = self.staleness(problem.n), operator_constants(self.compressor, problem.d)
        if self.spread > 0:  # no tau: models are not read whole
            aged = known.state(known.statements["tau"], tau_coordinate=known.tau)
            return problem.constants().merge(aged.without("tau"))
        return problem.constants().merge(own).merge(known)

    def init(self, x0: Tensor, context: RunContext) -> HogwildState:
        schedule = self.plan(context)
        return HogwildState(context.rows(x0, schedule.tau + 1), 0, schedule)

    def step(self, state: HogwildState, t: int, context: RunContext) -> HogwildState:
        tick = state.schedule.tick(t)
        subset = put(tick.arrivals, state.versions.device)
        mixture = self.read(state, put(tick.versions, subset.device), subset, t, context)
        read = context.answered(mixture, subset, t)
        g = context.checked(context.gradient_of(read, subset, t), t, subset)
        arrived = context.uploaded(self.compressor, g, subset, t)
        x = self._written(self.models(state), arrived, self.step_rule(t))
        depth = state.versions.shape[-2]
        state.versions[..., (t + 1) % depth, :] = x[..., 0, :]
        return state._replace(newest=(t + 1) % depth)

    def read(
        self, state: HogwildState, begun: Tensor, subset: Tensor, t: int, context: RunContext
    ) -> Tensor:
        """The mixture of versions ``[..., k, d]`` that workers ``subset`` ``[..., k]`` read."""
        depth, d = state.versions.shape[-2:]
        real = subset.clamp_max(context.network.n - 1)
        u = context.key.fold("read", t).draws(context.replicas, real).uniform(d, torch.float64)
        choices = torch.floor(self.spread * (t - begun)).to(torch.int64) + 1
        later = torch.floor(u * choices[..., None]).to(torch.int64)
        version = begun[..., None] + later
        return state.versions.gather(-2, version % depth)

    def _written(self, x: Tensor, arrived: Tensor, gamma: float) -> Tensor:
        """The shared model after all added their updates, component by component."""
        return x - gamma * sum_rows(arrived, keepdim=True)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return event_block(HogwildBlock, context, self)

    def models(self, state: HogwildState) -> Tensor:
        return state.versions[..., state.newest : state.newest + 1, :].clone()


@final
class HogwildBlock(EventBlock):
    """Ticks of :class:`Hogwild`."""

    def __init__(self, place: Place, gradient: RowPart, method: Hogwild) -> None:
        d, dtype = place.problem.d, place.problem.dtype
        send, length = unchanging(method.compressor, d, dtype)
        super().__init__(place, gradient, method.step_rule, {"compress": send})
        self.parts = (
            ready(gradient.function, "gradient", dtype), gradient.numbers,
            *filled_in(dtype, send, "operator")[:2], send is not None,
            np.array([length, dense_bits(d, dtype)]), np.array([method.spread]),
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        return (*super().purposes(), "read")

    def tensors(self, state: HogwildState) -> Arrays:
        versions = all_rows(state.versions)
        return versions, np.full(len(versions), state.newest)

    def run(self, arrays: Arrays, steps: Steps) -> int:
        words = (self.words(steps, name) for name in ("gradient", "compress", "read"))
        found: int = SHARED_EVENTS.for_dtype(self.dtype)(
            *self.parts, *arrays[:5], steps.gammas, steps.t, *words, steps.replicas
        )
        return found

    def leave(self, arrays: Arrays, state: HogwildState) -> HogwildState:
        versions = torch.from_numpy(arrays[0]).view(state.versions.shape)
        return state._replace(versions=versions, newest=int(arrays[1][0]))

"""A parameter server under any barrier: asynchronous, stale synchronous, with backup workers ..."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.kernels.deferred_checks import now
from algorithms.kernels.devices import put
from algorithms.kernels.mean import sum_rows
from algorithms.methods.base import GradientReads, NonFiniteGradient, RunContext
from algorithms.methods.parts.constants import operator_constants
from algorithms.methods.parts.delay_compensation import Correction, LateGradients, NoCorrection
from algorithms.methods.parts.scheduled import Scheduled, places
from algorithms.network.base import Network
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.events import event_block
from algorithms.pipeline.server_events import ServerEventBlock, ServerEvents
from algorithms.problems.base import Problem, require_int
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class Weighting(Enum):
    """Divisor of the sum of the gradients of one tick."""

    SUM = "one"
    ALL = "the number of workers"
    ARRIVED = "the number that arrived"


class ServerState(NamedTuple):
    """The server's model ``[..., 1, d]``; the models workers compute on and those they hold
    ``[..., m + 1, d]`` (one tensor where nobody holds another than it computes on); what the
    server gave to each worker ``[..., n + 1, d]`` where it corrects delays, else nothing; the
    correction's state; the plan.

    The last row takes what concerns nobody held here.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        view: the models that workers compute on ``[..., m + 1, d]``.
        cache: the models that workers hold ``[..., m + 1, d]``.
        given: what the server gave each worker last ``[..., n + 1, d]``.
        schedule: the plan of arrivals, the same throughout the run.
    """

    x: Tensor
    view: Tensor
    cache: Tensor
    given: Tensor
    correction: Any
    schedule: Schedule


@final
@dataclass(frozen=True)
class ParameterServer(Scheduled[ServerState]):
    r"""x_{t+1} = x_t - \frac{\gamma_t}{w} \sum_{i \in A_t} g_i(v_i): arrivals A_t of tick t.

    v_i is the model worker i computed on: the server's at the version that the schedule names
    and, where it holds a model for several gradients, its own updates since. The schedule of
    ``ticks`` updates is the ``barrier``'s under ``times``, drawn from ``schedule_seed`` for up to
    ``replicas`` replicas; its largest staleness is stated as tau. w is one, n or the number that
    arrived (``weighting``). A tick costs the gradients of those that arrive. ``correction`` acts on
    what arrived. A message that is not finite is thrown away where the barrier can do without.
    ``by_clock``: a gradient has the stepsize of its place when all are counted clock by clock,
    \gamma_{cn + i} for worker i's number c, whenever it arrives.

    (Asynchronous, one arrival a tick: Lian et al. 2015, arXiv:1506.08272, with M = 1, survey Eq. 8
    corrected. SSP: Ho et al. 2013, NIPS, survey Eq. 7 corrected. Backup workers: Chen et al. 2016,
    arXiv:1604.00981. Round robin: Chen, Wang, Li 2019, INFOCOM.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: the operator that gradients go through on their way up.
        proximal: the regulariser applied to the server's model after each update.

    Raises:
        ValueError: ticks < 1, a step beyond the schedule, more replicas than it was drawn for, or a
            regulariser beside stepsizes by clock.
        WorkerLost: the barrier waits for a worker that never arrives.
        NonFiniteGradient: a message is not finite and the barrier cannot do without.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    barrier: Barrier = field(default_factory=Asynchronous)
    weighting: Weighting = Weighting.SUM
    compressor: Compressor = field(default_factory=Identity)
    correction: Correction[Any] = field(default_factory=NoCorrection)
    proximal: Proximal = field(default_factory=NoProximal)
    schedule_seed: int = 0
    replicas: int = 64
    by_clock: bool = False

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("ticks", self.ticks, 1)
        if self.by_clock and not isinstance(self.proximal, NoProximal):
            raise ValueError("by_clock must be False where a regulariser asks for one stepsize")

    @property
    def name(self) -> str:
        parts = [f"parameter server, {self.barrier.name}", self.compressor.name]
        parts += [] if isinstance(self.correction, NoCorrection) else [self.correction.name]
        parts += [] if isinstance(self.proximal, NoProximal) else [self.proximal.name]
        return ", ".join(parts)

    def constants(self, problem: Problem) -> Constants:
        own = operator_constants(self.compressor, problem.d)
        seen = self.barrier.constants(problem.constants(), self.times)
        return self._compensated(seen.merge(own).merge(self.staleness(problem.n)))

    def init(self, x0: Tensor, context: RunContext) -> ServerState:
        schedule = self.plan(context)
        view = context.rows(x0, len(context.network.workers) + 1)
        cache = view.clone() if schedule.caches else view
        backs = 0 if isinstance(self.correction, NoCorrection) else context.network.n + 1
        x = context.rows(x0, 1)
        state = self.correction.init(x.shape, x.dtype, x.device)
        return ServerState(x, view, cache, context.rows(x0, backs), state, schedule)

    def step(self, state: ServerState, t: int, context: RunContext) -> ServerState:
        tick, network = state.schedule.tick(t), context.network
        subset = put(tick.arrivals, state.x.device)
        rows = places(subset, network, state.view)
        read = state.view.gather(-2, rows)
        if self.barrier.counts_by_worker:
            begun = state.schedule.begun(t)
            g = context.gradient_by_count(read, subset, begun)
            sent = context.uploaded_by_count(self.compressor, g, subset, begun)
        else:
            g = context.gradient_of(read, subset, t)
            sent = context.uploaded(self.compressor, g, subset, t)
        arrived, present = self._finite(sent, subset, t, network)
        memory, arrived = self._corrected(state, arrived, subset, context)
        gamma = self.step_rule(t)
        share = self._share(present, network.n)
        if self.by_clock:  # stepsizes of the gradients themselves
            arrived, gamma = self._by_place(arrived, state.schedule, t), 1.0
        x = state.x - gamma * (sum_rows(arrived, keepdim=True) / share)
        if state.schedule.caches:  # a worker's own update stays on top of what it holds
            own = state.cache.gather(-2, rows) - gamma * (arrived / share)
            state.cache.scatter_(-2, rows, own)
        x = self.proximal.apply(x, gamma, t)
        fetches, starts = (put(ids, x.device) for ids in (tick.fetches, tick.starts))
        self._give(state, x, context.answered(x, fetches, t), fetches, starts, network)
        return state._replace(x=x, correction=memory)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        if self.barrier.counts_by_worker or self.by_clock:
            return None
        shares = {Weighting.SUM: 1, Weighting.ALL: context.network.n, Weighting.ARRIVED: 0}
        correction = None if isinstance(self.correction, NoCorrection) else self.correction
        share = shares[self.weighting]
        parts = ServerEvents(self.step_rule, self.compressor, correction, self.proximal, share)
        return event_block(ServerEventBlock, context, parts)

    def reads(self, state: ServerState, t: int, context: RunContext) -> GradientReads:
        subset = put(state.schedule.tick(t).arrivals, state.x.device)
        rows = places(subset, context.network, state.view)
        return GradientReads(state.view.gather(-2, rows), subset)

    def models(self, state: ServerState) -> Tensor:
        return state.x

    def _by_place(self, arrived: Tensor, schedule: Schedule, t: int) -> Tensor:
        """What arrived, times the stepsizes of its places clock by clock."""
        subset = schedule.tick(t).arrivals
        place = schedule.begun(t) * schedule.n + subset.clamp_max(schedule.n - 1)
        numbers = place.flatten().tolist()
        rule = {k: self.step_rule(k) for k in set(numbers)}
        gamma = torch.tensor([rule[k] for k in numbers], dtype=arrived.dtype).view(place.shape)
        return put(gamma, arrived.device)[..., None] * arrived

    def _compensated(self, c: Constants) -> Constants:
        """With what the correction adds at most, where one gradient arrives at a time."""
        if c.lipschitz is None or not isinstance(self.barrier, Asynchronous):
            return c
        most = self.correction.longest(c.lipschitz)
        known = Statement(Kind.UPPER, "uniform", "gradients of components are bounded")
        return c if most is None else c.state(known, compensation=most)

    def _finite(
        self, arrived: Tensor, subset: Tensor, t: int, network: Network
    ) -> tuple[Tensor, Tensor]:
        """Arrivals that count, and a mask ``[..., k]`` of their workers."""
        present = subset < network.n
        broken = present & ~torch.isfinite(arrived).all(-1)
        late = now()
        if late is not None and not self.barrier.tolerant:
            late.suspect(broken, "a gradient was not finite")
            return torch.where(broken[..., None], 0, arrived), present
        if late is None and not bool(broken.any()):
            return arrived, present
        if not self.barrier.tolerant:
            worker = int(subset[broken][0])
            raise NonFiniteGradient(
                f"gradient of worker {worker} at step {t} is not finite and {self.barrier.name} "
                "cannot go on without it; a smaller stepsize, finite data, or backup workers or "
                "asynchronous updates would do"
            )
        network.discard(subset, broken)
        return torch.where(broken[..., None], 0, arrived), present & ~broken

    def _share(self, present: Tensor, n: int) -> float | Tensor:
        """w: a number, or ``[..., 1, 1]``."""
        if self.weighting is Weighting.ARRIVED:
            return present.sum(-1).clamp_min(1)[..., None, None]
        return n if self.weighting is Weighting.ALL else 1

    def _corrected(
        self, state: ServerState, arrived: Tensor, subset: Tensor, context: RunContext
    ) -> tuple[Any, Tensor]:
        if not state.given.shape[-2]:
            return state.correction, arrived
        index = subset[..., None].expand(*subset.shape, arrived.shape[-1])
        read = state.given.gather(-2, index)
        real = subset.clamp_max(context.network.n - 1)
        late = LateGradients(arrived, state.x, read, context.problem, real)
        return self.correction.apply(state.correction, late)

    def _give(
        self,
        state: ServerState,
        x: Tensor,
        incoming: Tensor,
        fetches: Tensor,
        starts: Tensor,
        network: Network,
    ) -> None:
        """Give x, as ``incoming``, to fetching workers; starting ones compute on what they hold."""
        rows = places(fetches, network, state.view)
        state.cache.scatter_(-2, rows, incoming)
        if state.schedule.caches:
            rows = places(starts, network, state.view)
            state.view.scatter_(-2, rows, state.cache.gather(-2, rows))
        if state.given.shape[-2]:
            index = fetches[..., None].expand(*fetches.shape, x.shape[-1])
            state.given.scatter_(-2, index, x.expand(index.shape))

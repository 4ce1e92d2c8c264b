"""A server that weighs arrivals by their age and steps when it has collected enough of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.devices import put
from algorithms.methods.base import RunContext
from algorithms.methods.parts.age_rules import AgeRule, Younger
from algorithms.methods.parts.gradient_buffers import GradientBuffer, SharedBuffer
from algorithms.methods.parts.scheduled import Scheduled, places
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.buffered_events import BufferedEventBlock, BufferedEvents
from algorithms.pipeline.events import event_block
from algorithms.problems.base import Problem, require_int
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class BufferedState(NamedTuple):
    """The server's model; what the workers compute on; what the server has collected and counted.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        view: the models that workers compute on ``[..., m + 1, d]``, the last row for nobody and
            for workers elsewhere.
        steps: steps that the server has taken ``[...]``.
        given: those it had taken when it gave each worker its model ``[..., n + 1]``.
        sums: gradients collected since the last step ``[..., slots, d]``.
        counts: how many those are ``[..., slots]``.
        schedule: the plan of arrivals, the same throughout the run.
    """

    x: Tensor
    view: Tensor
    steps: Tensor
    given: Tensor
    sums: Tensor
    counts: Tensor
    schedule: Schedule


@final
@dataclass(frozen=True)
class BufferedServer(Scheduled[BufferedState]):
    r"""x \mathrel{-}= \eta_g \gamma_t \cdot \mathrm{direction}(\text{buffer}) when that is full.

    A tick is an arrival: worker i brings \Delta_i, the sum of the gradients of ``local_steps``
    steps of \gamma_t from the model it was given (one: the gradient there), and is given the
    server's model, whatever became of what it brought. The ``rule`` says by its age d, in steps of
    the server, whether it counts and by which factor; the ``buffer`` collects what counts and says
    when the server steps. So

    * asynchronous SGD: every age, one a step;
    * delay-adaptive: \gamma_t falls with ages above n (arXiv:2206.08177);
    * Rennala SGD: age 0 alone, B a step (arXiv:2305.12387);
    * Malenia SGD: age 0 alone, by worker (arXiv:2305.12387);
    * Ringmaster ASGD: ages below R, one a step (arXiv:2501.16168, Algorithm 4);
    * FedBuff: (1 + d)^{-1/2}, B differences of local steps a step (arXiv:2106.06639).

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by tick t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        times: how long what a worker brings takes it [seconds].
        rule: what a gradient is worth by its age.
        buffer: what is collected for a step.
        local_steps: K, gradients of a worker between two meetings with the server.
        server_rate: \eta_g, by which the server's step is longer than the workers'.
        barrier: who arrives, and who is given the model then: asynchronous, or what was recorded,
            or all at once; who is given a model computes on it from then on.
        schedule_seed: seed of the compute times that make the schedule.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.

    Raises:
        ValueError: ticks or local_steps < 1, server_rate not positive; those of a schedule.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    rule: AgeRule = field(default_factory=Younger)
    buffer: GradientBuffer = field(default_factory=SharedBuffer)
    local_steps: int = 1
    server_rate: float = 1.0
    barrier: Barrier = field(default_factory=Asynchronous)
    schedule_seed: int = 0
    replicas: int = 64

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("ticks", self.ticks, 1)
        require_int("local_steps", self.local_steps, 1)
        if not self.server_rate > 0:
            raise ValueError(f"server_rate must be positive, got server_rate={self.server_rate}")

    @property
    def name(self) -> str:
        parts = [f"server, {self.barrier.name}, {self.rule.name}, {self.buffer.name}"]
        parts += [f"{self.local_steps} local steps"] if self.local_steps > 1 else []
        parts += [f"server rate {self.server_rate:g}"] if self.server_rate != 1 else []
        return ", ".join(parts)

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants()
        plain = self.local_steps == 1 and self.server_rate == 1 and self.rule == Younger(1)
        if not plain or self.barrier != Asynchronous():
            return stated  # nothing of batches: theorems are about those of the current model
        found = self.buffer.batch(problem.n, self.schedule(problem.n).turn)
        if found is None:
            return stated
        known = Statement(Kind.UPPER, "this schedule", "older gradients, then those of a step")
        rule = Statement(Kind.LOWER, "this schedule", "the buffer's rule")
        return stated.state(known, held=found[1]).state(rule, collected=found[0])

    def init(self, x0: Tensor, context: RunContext) -> BufferedState:
        schedule = self.plan(context)
        x, view = context.rows(x0, 1), context.rows(x0, len(context.network.workers) + 1)
        slots, lead = self.buffer.slots(context.network.n), context.replicas.shape
        none = torch.zeros(lead, dtype=torch.int64, device=x.device)
        given, counts = (
            none[..., None].expand(*lead, k).clone() for k in (context.network.n + 1, slots)
        )
        sums = torch.zeros_like(context.rows(x0, slots))
        return BufferedState(x, view, none, given, sums, counts, schedule)

    def step(self, state: BufferedState, t: int, context: RunContext) -> BufferedState:
        network, gamma = context.network, self.step_rule(t)
        tick = state.schedule.tick(t)
        subset, hears = (put(ids, state.x.device) for ids in (tick.arrivals, tick.fetches))
        rows = places(subset, network, state.view)
        number = self.number(state, t)
        brought = self._brought(state.view.gather(-2, rows), subset, gamma, number, t, context)
        arrived = context.uploaded(Identity(), brought, subset, number)
        for k in range(subset.shape[-1]):
            state = self._arrival(state, subset[..., k], arrived[..., k : k + 1, :], gamma)
        rows = places(hears, network, state.view)
        state.view.scatter_(-2, rows, context.answered(state.x, hears, t))
        state.given.scatter_(-1, hears, state.steps[..., None].expand(hears.shape))
        return state

    def _brought(
        self, y: Tensor, subset: Tensor, gamma: float, number: int, t: int, context: RunContext
    ) -> Tensor:
        """Sum ``[..., k, d]`` of the gradients of ``subset`` on their local steps from y."""
        first = number * self.local_steps
        total = context.checked(context.gradient_of(y, subset, first), t, subset)
        g = total
        for one in range(1, self.local_steps):
            y = y - gamma * g
            g = context.checked(context.gradient_of(y, subset, first + one), t, subset)
            total = total + g
        return total

    def _arrival(
        self, state: BufferedState, worker: Tensor, brought: Tensor, gamma: float
    ) -> BufferedState:
        """The server after one arrival of ``worker`` ``[...]``; n is nobody."""
        n = state.given.shape[-1] - 1
        age = state.steps - state.given.gather(-1, worker[..., None])[..., 0]
        counts_here = self.rule.takes(age) & (worker < n)
        factor = self.rule.factors(age, gamma, n).to(brought.dtype)
        slot = self.buffer.slot(worker.clamp_max(n - 1))[..., None]
        more = torch.where(counts_here[..., None, None], factor[..., None, None] * brought, 0)
        sums = state.sums.scatter_add(-2, slot[..., None].expand(more.shape), more)
        counts = state.counts.scatter_add(-1, slot, counts_here[..., None].long())
        full = self.buffer.full(counts)
        step = self.server_rate * (gamma * self.buffer.direction(sums, counts))
        wide = full[..., None, None]
        return state._replace(
            x=torch.where(wide, state.x - step, state.x),
            steps=state.steps + full,
            sums=torch.where(wide, 0, sums),
            counts=torch.where(full[..., None], 0, counts),
        )

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        asked = self.buffer.asks
        if self.barrier.counts_by_worker or asked is None:
            return None
        total, by_worker = asked
        parts = BufferedEvents(
            self.step_rule, self.rule, total, by_worker, self.local_steps, self.server_rate
        )
        return event_block(BufferedEventBlock, context, parts)

    def models(self, state: BufferedState) -> Tensor:
        return state.x

    def computed(self, state: BufferedState, t: int) -> Tensor | None:
        made = super().computed(state, t)
        return None if made is None else made * self.local_steps

"""Asynchronous SGD whose models go to workers by a rule of their own, not to whoever is free."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.core.key import Key
from algorithms.kernels.devices import put
from algorithms.kernels.mean import sum_rows
from algorithms.methods.base import RunContext
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.pipeline.assigned_events import AssignedEventBlock
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.events import event_block
from algorithms.problems.base import Problem, require_int
from algorithms.synchronisation.assignment import Assignment, Reshuffled, assigned_schedule
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants
from theory.stepsizes import Stepsize


class AssignedState(NamedTuple):
    """The last tau + 1 models, version t in row t mod (tau + 1); the plan.

    Attributes:
        versions: the last tau + 1 models ``[..., tau + 1, d]``.
        newest: the row of the last of them.
        schedule: the plan of arrivals, the same throughout the run.
    """

    versions: Tensor
    newest: int
    schedule: Schedule


@final
@dataclass(frozen=True)
class AssignedServer(Scheduled[AssignedState]):
    r"""x_{t+1} = x_t - \gamma_t g_{i_t}(x_{v_t}); x_{t+1} goes to the worker that a rule names.

    Worker i_t arrives at tick t with the gradient at the model that it was given at version v_t;
    it computes what it is given in turn. Given to whoever arrives it is asynchronous SGD, whose
    workers count by their speed; drawn uniformly or in shuffled order they count alike. (Islamov,
    Safaryan, Alistarh 2023, arXiv:2310.20452: pure, random and shuffled asynchronous SGD.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        times: how long the gradients of each worker take [seconds].
        assignment: whom a model goes to.
        schedule_seed: seed of the compute times and of the assignment.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.

    Raises:
        ValueError: ticks < 1; those of a schedule.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    assignment: Assignment = field(default_factory=Reshuffled)
    schedule_seed: int = 0
    replicas: int = 64

    barrier: ClassVar[Barrier] = Asynchronous()
    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("ticks", self.ticks, 1)

    @property
    def name(self) -> str:
        return f"asynchronous SGD, models {self.assignment.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().merge(self.staleness(problem.n))

    def _of(self, n: int, ids: Iterable[int]) -> Schedule:
        return _assigned(self.assignment, n, self.ticks, self.times, self.schedule_seed, tuple(ids))

    def init(self, x0: Tensor, context: RunContext) -> AssignedState:
        schedule = self.plan(context)
        return AssignedState(context.rows(x0, schedule.tau + 1), 0, schedule)

    def step(self, state: AssignedState, t: int, context: RunContext) -> AssignedState:
        tick = state.schedule.tick(t)
        subset = put(tick.arrivals, state.versions.device)
        depth, d = state.versions.shape[-2:]
        place = put(tick.versions, subset.device)[..., None] % depth
        read = state.versions.gather(-2, place.expand(*subset.shape, d))
        g = context.checked(context.gradient_of(read, subset, t), t, subset)
        arrived = context.uploaded(Identity(), g, subset, t)
        x = self.models(state) - self.step_rule(t) * sum_rows(arrived, keepdim=True)
        context.answered(x, put(tick.fetches, x.device), t)
        newest = (t + 1) % depth
        state.versions[..., newest, :] = x[..., 0, :]
        return state._replace(newest=newest)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return event_block(AssignedEventBlock, context, self.step_rule)

    def models(self, state: AssignedState) -> Tensor:
        return state.versions[..., state.newest : state.newest + 1, :].clone()


@lru_cache(maxsize=16)
def _assigned(
    rule: Assignment, n: int, ticks: int, times: ComputeTimes, seed: int, ids: tuple[int, ...]
) -> Schedule:
    """Kept because it is asked for again."""
    return assigned_schedule(rule, n, ticks, times, Key.seed(seed), torch.tensor(ids))

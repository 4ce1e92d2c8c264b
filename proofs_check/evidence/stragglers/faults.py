"""Faults of servers that weigh, drop or collect gradients by their age."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.core.key import Key
from algorithms.kernels.mean import sum_rows
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.age_rules import AgeRule, Polynomial, Younger
from algorithms.methods.parts.gradient_buffers import (
    BufferPerWorker,
    GradientBuffer,
    SharedBuffer,
)
from algorithms.synchronisation.assignment import Assignment, FirstComeFirstServed
from algorithms.synchronisation.barriers import Asynchronous, Interrupting
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.evidence.stragglers.closed_forms import (
    GAMMA,
    SMOOTH,
    R,
    adaptive_steps,
    delays_sum,
    exact_on_different_data,
    fresh_ones_count,
    means_of_means,
    one_a_step_is_ringmaster,
    stopped_in_time,
    unlimited_is_asynchronous,
    worth_enough,
    young_is_asynchronous,
    young_ones_count,
)
from proofs_check.evidence.stragglers.closed_forms_clients import (
    SERVER_RATE,
    assigned_versions,
    buffered_differences,
    limit_of_random,
    one_is_fedasync,
    together_is_fedavg,
)
from proofs_check.methods.faulty.faulty_method import FaultyMethod, SpoiltBarrier
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import ConstantStep


@final
@dataclass(frozen=True)
class AnyAge(AgeRule):
    """Steps of 1 / (4 L d) at every age, also below the number of workers.

    Attributes:
        smoothness: L [f / x^2].
    """

    smoothness: float

    @property
    def name(self) -> str:
        return "adaptive at every age"

    def factors(self, age: Tensor, gamma: float, n: int) -> Tensor:
        return (1 / (4 * self.smoothness * age.double().clamp_min(1) * gamma)).clamp_max(1.0)


@final
@dataclass(frozen=True)
class WithoutFour(AgeRule):
    """Steps of 1 / (L d) above an age of n.

    Attributes:
        smoothness: L [f / x^2].
    """

    smoothness: float

    @property
    def name(self) -> str:
        return "1/(L d)"

    def factors(self, age: Tensor, gamma: float, n: int) -> Tensor:
        old = (1 / (self.smoothness * age.double().clamp_min(1) * gamma)).clamp_max(1.0)
        return torch.where(age <= n, 1.0, old)


def _stays(now: WorkerStates, d: Decision) -> Decision:
    """Nobody hears of the model, so that ages are those of the start."""
    return d._replace(fetched=np.zeros_like(d.fetched))


@wrong_step("age of the tick", judge=young_is_asynchronous)
def doubled_age(own: Method[Any], state: Any, t: int, context: RunContext) -> Any:
    """what workers hold is taken for n steps older at every tick, which adds up"""
    n = context.network.n
    return own.step(state._replace(given=state.given - n), t, context)


@wrong_step("Rennala with a dropped one in its count", judge=fresh_ones_count)
def counted_when_dropped(own: Method[Any], state: Any, t: int, context: RunContext) -> Any:
    """a late gradient is one of the B, though it is not added"""
    subset = state.schedule.tick(t).arrivals
    late = (state.steps[..., None] - state.given.gather(-1, subset) > 0).long()
    after = own.step(state, t, context)
    return after._replace(counts=after.counts + late)


@wrong_step("Ringmaster with a dropped one as a step", judge=young_ones_count)
def dropped_is_a_step(own: Method[Any], state: Any, t: int, context: RunContext) -> Any:
    """a gradient that is dropped counts as a step of the server"""
    after = own.step(state, t, context)
    return after._replace(steps=state.steps + 1)


@wrong_step("Ringmaster whose late worker keeps its model", judge=young_ones_count)
def kept_when_dropped(own: Method[Any], state: Any, t: int, context: RunContext) -> Any:
    """the worker of a dropped gradient goes on from the model that it had"""
    given, view = state.given.clone(), state.view.clone()
    after = own.step(state, t, context)
    if bool(after.steps.eq(state.steps).all()):
        after.given.copy_(given)
        after.view.copy_(view)
    return after


@wrong_step("client that does not move", judge=buffered_differences)
def no_local_moves(own: Any, state: Any, t: int, context: RunContext) -> Any:
    """all K gradients of a client are at the model that it read"""
    return replace(
        own, step_rule=ConstantStep(1e-12), server_rate=SERVER_RATE * GAMMA / 1e-12
    ).step(state, t, context)


@wrong_step("AsGrad at the newest model", judge=assigned_versions)
def newest_model(own: Method[Any], state: Any, t: int, context: RunContext) -> Any:
    """who arrives is taken to have computed at the server's last model"""
    after = own.step(state, t, context)
    subset = state.schedule.tick(t).arrivals
    x = own.models(state)
    moved = x - own.step_rule(t) * context.gradient_of(x, subset, t)  # type: ignore[attr-defined]
    after.versions[..., after.newest, :] = moved[..., 0, :]
    return after


class WeighedState(NamedTuple):
    """The state of the right server, and the weights that it has collected.

    Attributes:
        inner: the right server's state.
        weight: sum of the factors since its last step ``[...]``.
    """

    inner: Any
    weight: Tensor


@final
@dataclass(frozen=True)
class NormalisedByWeights(FaultyMethod):
    """FedBuff that divides a step by the sum of its weights s(d), not by B.

    Attributes:
        right: the server as it should be.
    """

    right: Any

    def init(self, x0: Tensor, context: RunContext) -> WeighedState:
        inner = self.right.init(x0, context)
        return WeighedState(inner, torch.zeros_like(inner.steps, dtype=torch.float64))

    def step(self, state: WeighedState, t: int, context: RunContext) -> WeighedState:
        before = state.inner
        subset = before.schedule.tick(t).arrivals
        age = before.steps - before.given.gather(-1, subset)[..., 0]
        weight = state.weight + self.right.rule.factors(age, 1.0, context.network.n)
        after = self.right.step(before, t, context)
        stepped = (after.steps > before.steps)[..., None, None]
        longer = self.right.buffer.size / weight[..., None, None]
        x = torch.where(stepped, before.x + longer * (after.x - before.x), after.x)
        place = subset[..., None].expand(*subset.shape, x.shape[-1])
        after.view.scatter_(-2, place, x)
        return WeighedState(after._replace(x=x), torch.where(stepped[..., 0, 0], 0.0, weight))

    def models(self, state: WeighedState) -> Tensor:
        found: Tensor = self.right.models(state.inner)
        return found


@final
@dataclass(frozen=True)
class OneOlder(AgeRule):
    """The rule with every age one more than it is.

    Attributes:
        right: the rule that is handed wrong ages.
    """

    right: AgeRule

    @property
    def name(self) -> str:
        return f"{self.right.name}, one older"

    def factors(self, age: Tensor, gamma: float, n: int) -> Tensor:
        return self.right.factors(age + 1, gamma, n)


@final
@dataclass(frozen=True)
class ArithmeticMean(GradientBuffer):
    """Bags by worker that are full once the mean of their counts is S / n, none being empty.

    Attributes:
        total: S, gradients that a step is worth.
    """

    total: int

    @property
    def name(self) -> str:
        return f"{self.total} in the arithmetic mean"

    def slots(self, n: int) -> int:
        return n

    def slot(self, workers: Tensor) -> Tensor:
        return workers

    def full(self, counts: Tensor) -> Tensor:
        return (counts > 0).all(-1) & (counts.sum(-1) >= self.total)

    def direction(self, sums: Tensor, counts: Tensor) -> Tensor:
        return BufferPerWorker(self.total).direction(sums, counts)


@final
@dataclass(frozen=True)
class MeanOfAll(GradientBuffer):
    """Bags by worker that are full when they should be, and all gradients of the same weight.

    Attributes:
        right: the buffer that says when a step is taken.
    """

    right: BufferPerWorker

    @property
    def name(self) -> str:
        return f"{self.right.name}, every gradient of one weight"

    def slots(self, n: int) -> int:
        return n

    def slot(self, workers: Tensor) -> Tensor:
        return workers

    def full(self, counts: Tensor) -> Tensor:
        return self.right.full(counts)

    def direction(self, sums: Tensor, counts: Tensor) -> Tensor:
        made = counts.sum(-1)[..., None, None].clamp_min(1)
        return sum_rows(sums, keepdim=True) / made


@final
@dataclass(frozen=True)
class BySpeed(Assignment):
    """Workers at random, the last one ``slower`` times less often than another.

    Attributes:
        slower: how many times less often.
    """

    slower: float

    @property
    def name(self) -> str:
        return f"at random, the last worker {self.slower:g} times less often"

    def workers(self, n: int, ticks: int, key: Key, replicas: Tensor) -> NDArray[np.int64]:
        u = key.fold("assigned").draws(replicas, torch.arange(1)).uniform(ticks, torch.float64)
        place = torch.floor(u[:, 0] * (n - 1 + 1 / self.slower)).long()
        return place.numpy()


def _each_to_one(now: WorkerStates, d: Decision) -> Decision:
    """What has become too old is not stopped."""
    return d._replace(fetched=d.arrived, started=d.arrived)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "delay-adaptive below n", "1/(4 L d) at every age", adaptive_steps, AnyAge(SMOOTH)
    ),
    fault(
        "delay-adaptive without its 4", "1/(L d) above n", adaptive_steps, WithoutFour(SMOOTH)
    ),
    fault(
        "models never fetched", "workers compute on the start for ever",
        delays_sum, SpoiltBarrier(Asynchronous(), _stays),
    ),
    fault(
        "Rennala with late ones", "gradients of every age are collected", fresh_ones_count,
        lambda server: replace(server, rule=Younger()),
    ),
    fault(
        "Rennala of one with late ones", "gradients of every age are collected",
        one_a_step_is_ringmaster, lambda server: replace(server, rule=Younger()),
    ),
    fault(
        "Ringmaster with R itself", "a delay of R is let through", young_ones_count,
        lambda server: replace(server, rule=Younger(server.rule.oldest + 1)),
    ),
    fault(
        "Ringmaster that gives out no models", "workers compute on the start for ever",
        unlimited_is_asynchronous,
        lambda server: replace(server, barrier=SpoiltBarrier(Asynchronous(), _stays)),
    ),
    fault(
        "Ringmaster that never stops", "what is R updates old goes on", stopped_in_time,
        SpoiltBarrier(Interrupting(R), _each_to_one),
    ),
    fault(
        "Malenia by the arithmetic mean", "bags are full once S gradients are there, none empty",
        worth_enough, ArithmeticMean,
    ),
    fault(
        "Malenia with one weight for all", "the mean over gradients, not over workers' means",
        exact_on_different_data, MeanOfAll(BufferPerWorker(4)),
    ),
    fault(
        "Malenia as Rennala", "one bag for all workers", means_of_means,
        lambda server: replace(server, buffer=SharedBuffer(5)),
    ),
    fault(
        "FedBuff over its weights", "a step is divided by the sum of s(d)", buffered_differences,
        NormalisedByWeights,
    ),
    fault(
        "FedBuff with linear age", "1/(1 + d) in place of its root", one_is_fedasync,
        lambda server: replace(server, rule=Polynomial(1.0)),
    ),
    fault(
        "FedBuff with old weights together", "each worth (1 + d)^-1/2 with d = 1",
        together_is_fedavg, lambda server: replace(server, rule=OneOlder(server.rule)),
    ),
    fault(
        "AsGrad to whoever arrives", "no worker is drawn", limit_of_random, FirstComeFirstServed(),
    ),
)  # fmt: skip

"""Barriers and servers with one fault each: ages off by one, gradients counted twice ..."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np

from algorithms.methods.base import World
from algorithms.methods.synchronous.parameter_server import ParameterServer, ServerState, Weighting
from algorithms.synchronisation.barriers import (
    Asynchronous,
    BackupWorkers,
    Bulk,
    Deadline,
    PartialBarrier,
    RoundRobin,
)
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stale import SSP, EagerSSP
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.closed_forms.admm.async_admm import delay_bound
from proofs_check.closed_forms.asynchronous.asp import equal_times_age
from proofs_check.closed_forms.synchronous.backup_workers import (
    backup_seconds,
    no_delay,
    sampled_noise,
    within_deadline,
)
from proofs_check.closed_forms.synchronous.barriers import averaged, same_as_bsp
from proofs_check.closed_forms.synchronous.r2sp import round_robin_age
from proofs_check.closed_forms.synchronous.ssp import clock_gap, each_gradient_once, unit_step
from proofs_check.methods.faulty.spoilt import Spoilt, posing
from proofs_check.mutants.methods import MethodMutant, fault

Spoil = Callable[[WorkerStates, Decision], Decision]


@final
@dataclass(frozen=True)
class SpoiltBarrier(Barrier):
    """Everything as in ``right``, whose decisions ``spoil`` changes."""

    right: Barrier
    spoil: Spoil

    @property
    def name(self) -> str:
        return f"spoilt {self.right.name}"

    def decide(self, now: WorkerStates) -> Decision:
        return self.spoil(now, self.right.decide(now))


def _late_push(now: WorkerStates, d: Decision) -> Decision:
    """Pushes only every other advance of the slowest clock."""
    even = (now.clock + d.arrived).min(axis=1) % 2 == 0
    return d._replace(fetched=d.fetched & even[:, None])


def _keep_going(now: WorkerStates, d: Decision) -> Decision:
    """Late workers go on with their old gradient, which counts when it comes."""
    return d._replace(started=d.arrived, fetched=d.arrived)


def _first_come(now: WorkerStates, d: Decision) -> Decision:
    """Whoever is first has the turn."""
    return Asynchronous().decide(now)


def _read_first(now: WorkerStates, d: Decision) -> Decision:
    """A worker takes the model of the tick before its own gradient is applied."""
    return d._replace(fetched=np.roll(d.fetched, 1, axis=1))


def _stragglers_too(now: WorkerStates, d: Decision) -> Decision:
    """One more is waited for."""
    arrived = now.first(min(now.n, int(d.arrived[0].sum()) + 1))
    return d._replace(now=now.latest(arrived), arrived=arrived)


@final
@dataclass(frozen=True, eq=False)
class OwnTwice(Spoilt):
    """Survey Eq. 7 as printed: a worker adds its own update to a model that has it already."""

    right: ParameterServer

    def step(self, state: ServerState, t: int, world: World) -> Any:
        after = self.right.step(state, t, world)
        move = (after.x - state.x) / world.network.n
        after.view[..., :-1, :] += move
        return after


def _server(weighting: Weighting, barrier: Barrier) -> ParameterServer:
    return replace(averaged(barrier), weighting=weighting)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "SSP one clock too far", "a worker may run s + 1 clocks ahead",
        clock_gap, lambda s: SSP(s + 1),
    ),
    MethodMutant(
        "eager SSP pushing late", "every other advance of the slowest clock is not sent",
        lambda: clock_gap(lambda s: SpoiltBarrier(EagerSSP(s), _late_push)),
        lambda: clock_gap(EagerSSP),
    ),
    fault(
        "SSP counting own updates twice", "survey Eq. 7 as printed (E1)",
        each_gradient_once, posing(OwnTwice, unit_step),
    ),
    fault(
        "backup workers that wait for one more", "n - b + 1 gradients instead of n - b",
        backup_seconds, lambda b: SpoiltBarrier(BackupWorkers(b), _stragglers_too),
    ),
    fault(
        "backup workers whose stragglers count later", "late gradients are kept, not dropped",
        no_delay, SpoiltBarrier(BackupWorkers(2), _keep_going),
    ),
    fault(
        "backup workers that are always the same", "constant times: the last b never count",
        sampled_noise, Constant(),
    ),
    fault(
        "deadline that waits for one more", "an update after the deadline",
        within_deadline, lambda s: SpoiltBarrier(Deadline(s), _stragglers_too),
    ),
    fault(
        "round robin by arrival", "the turn goes to whoever is first",
        round_robin_age, SpoiltBarrier(RoundRobin(), _first_come),
    ),
    fault(
        "partial barrier off by one", "delays up to tau instead of tau - 1",
        delay_bound, lambda least, tau: PartialBarrier(least, tau + 1),
    ),
    fault(
        "partial barrier with fewer arrivals", "an update with S - 1 of them",
        delay_bound, lambda least, tau: PartialBarrier(max(1, least - 1), tau),
    ),
    fault(
        "asynchronous worker with another's model", "the next worker fetches in its place",
        equal_times_age, SpoiltBarrier(Asynchronous(), _read_first),
    ),
    MethodMutant(
        "server that sums", "the sum of all gradients where their mean is due",
        lambda: same_as_bsp(Bulk(), "bsp-sgd", partial(_server, Weighting.SUM)),
        lambda: same_as_bsp(Bulk(), "bsp-sgd"),
    ),
)  # fmt: skip

"""Closed forms of schedules: who arrives when with which version, by a plain loop over events.

Times are exponential, of uniforms under keys by hashlib, for more gradients than are drawn
together; barriers wait for all but some, for a moment, for some at least, and for nobody.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import RunContext
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.simulated import Simulated
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import (
    Asynchronous,
    BackupWorkers,
    Deadline,
    PartialBarrier,
)
from algorithms.synchronisation.base import Barrier, Durations
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.worker_states import WorkerStates
from proofs_check.instruments.evidence import identity
from proofs_check.methods.plain_helpers import key_by_hand
from proofs_check.methods.run_twins import plain_twins
from proofs_check.shared_code.drawn_networks import EVERY_ROW
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_SEED, _N, _MEAN = 6, 3, 0.25
_TOGETHER = 128  # gradients whose times share a key
_TICKS, _MANY = 20, 2 * _TOGETHER * _N  # the latter: some worker's times are drawn twice or more
_IDS = (0, 3, 5)
_PLACES: tuple[tuple[tuple[int, ...], Tensor], ...] = (
    ((2, 2, 2), torch.tensor([2, 2, 2])), ((5, 1), torch.tensor([5, 1])),
    ((0, 1, 4, 2), torch.tensor([[0, 1], [4, 2]])), ((4,), torch.tensor([4])),
    ((3, 3), torch.tensor([[3], [3]])),
)  # fmt: skip
"""Replica ids of runs in one line, and as their axes have them."""

_ROUNDING = 1e-12  # relative, of sums of so many times


class Event(NamedTuple):
    """One tick of one replica.

    Attributes:
        now: when it happens.
        arrived: workers whose gradients count, ascending.
        versions: ticks that were done when they read their models.
        starts: who begins its next gradient.
    """

    now: float
    arrived: list[int]
    versions: list[int]
    starts: list[int]


Choose = Callable[[float, list[float], list[int]], tuple[float, list[int], list[int]]]
"""From the hour, ends of gradients and their ages: the tick's hour, who arrives, who starts."""


def _first(ends: list[float], count: int) -> list[int]:
    return sorted(sorted(range(_N), key=lambda w: (ends[w], w))[:count])


def _backups(b: int) -> Choose:
    def chosen(now: float, ends: list[float], _: list[int]) -> tuple[float, list[int], list[int]]:
        arrived = _first(ends, _N - b)
        return max(now, *(ends[w] for w in arrived)), arrived, [*range(_N)]

    return chosen


def _asynchronous(
    now: float, ends: list[float], _: list[int]
) -> tuple[float, list[int], list[int]]:
    arrived = _first(ends, 1)
    return max(now, ends[arrived[0]]), arrived, arrived


def _deadline(seconds: float) -> Choose:
    def chosen(now: float, ends: list[float], _: list[int]) -> tuple[float, list[int], list[int]]:
        arrived = [w for w in range(_N) if ends[w] <= now + seconds]
        moment = max(ends) if len(arrived) == _N else now + seconds
        if not arrived:
            arrived = _first(ends, 1)
            moment = ends[arrived[0]]
        return max(now, moment), arrived, [*range(_N)]

    return chosen


def _partial(least: int, tau: int) -> Choose:
    def chosen(
        now: float, ends: list[float], ages: list[int]
    ) -> tuple[float, list[int], list[int]]:
        needed = {*_first(ends, least), *(w for w in range(_N) if ages[w] >= tau - 1)}
        moment = max(now, *(ends[w] for w in needed))
        arrived = [w for w in range(_N) if ends[w] <= moment]
        return moment, arrived, arrived

    return chosen


_BARRIERS: tuple[tuple[Barrier, Choose, int], ...] = (
    (BackupWorkers(1), _backups(1), _TICKS),
    (Deadline(0.3), _deadline(0.3), _TICKS),
    (PartialBarrier(2, 3), _partial(2, 3), _TICKS),
    (Asynchronous(), _asynchronous, _MANY),
)
"""Barriers, their rules in plain Python, and for how many ticks."""


def _took(replica: int, worker: int, number: int) -> float:
    """Seconds of a gradient: exponential, of a uniform under the key by hand."""
    first = number // _TOGETHER * _TOGETHER
    return _block(replica, worker, first)[number - first]


_BLOCKS: dict[tuple[int, int, int], list[float]] = {}
"""Times that were drawn before, by replica, worker and the first gradient of a block."""


def _block(replica: int, worker: int, first: int) -> list[float]:
    if (replica, worker, first) not in _BLOCKS:
        key = key_by_hand(_SEED, ("schedule",), ("gradients", first))
        draws = key.draws(torch.tensor([replica]), torch.tensor([worker]))
        uniforms = draws.uniform(_TOGETHER, torch.float64)[0, 0].tolist()
        _BLOCKS[replica, worker, first] = [-_MEAN * math.log1p(-u) for u in uniforms]
    return _BLOCKS[replica, worker, first]


def _events(choose: Choose, ticks: int, replica: int) -> Iterator[Event]:
    """Ticks of a replica, one after another."""
    now, begun, read = 0.0, [1] * _N, [0] * _N
    ends = [_took(replica, w, 0) for w in range(_N)]
    for t in range(ticks):
        now, arrived, starts = choose(now, ends, [t - one for one in read])
        yield Event(now, arrived, [read[w] for w in arrived], starts)
        for w in range(_N):
            if w in starts:
                ends[w], read[w] = now + _took(replica, w, begun[w]), t + 1
                begun[w] += 1
            elif w in arrived:
                ends[w] = math.inf


def schedules() -> tuple[Verdict, ...]:
    """Schedules of four barriers, compiled and as their classes decide, against the loop."""
    _BLOCKS.clear()
    made, due = list[float](), list[float]()
    for barrier, choose, ticks in _BARRIERS:
        for way in (nullcontext(), plain_twins()) if ticks == _TICKS else (nullcontext(),):
            with way:
                ids = torch.tensor(_IDS)
                found = barrier.schedule(_N, ticks, Exponential(_MEAN), Key.seed(_SEED), ids)
            for place, replica in enumerate(_IDS):
                made += _numbers(found, place, ticks)
                due += _due(choose, ticks, replica)
    return (_same("schedules", "barriers let arrive whom a plain loop does", made, due),)


def _numbers(schedule: Schedule, place: int, ticks: int) -> list[float]:
    """The hour, arrivals, versions and starts of every tick of the replica at a place."""
    found = list[float]()
    for t in range(ticks):
        tick = schedule.tick(t)
        found.append(float(schedule.seconds[t, place]))
        for ids in (tick.arrivals[place], tick.starts[place]):
            found += [-1, *(w for w in ids.tolist() if w < _N)]
        there = tick.arrivals[place] < _N
        found += [-1, *tick.versions[place][there].tolist()]
        found += [-1, *(v - t for v in tick.versions[place][~there].tolist()[:1] if v != t)]
    return found


def _due(choose: Choose, ticks: int, replica: int) -> list[float]:
    found = list[float]()
    for one in _events(choose, ticks, replica):
        found += [one.now, -1, *one.arrived, -1, *one.starts, -1, *one.versions, -1]
    return found


def _same(subject: str, claim: str, made: list[float], due: list[float]) -> Verdict:
    alike = len(made) == len(due)
    return identity(
        subject, claim, made if alike else [len(made)], due if alike else [len(due)],
        check="events by hand", tolerance=_ROUNDING, provenance=f"seed {_SEED}, by hand",
    )  # fmt: skip


def plans() -> tuple[Verdict, ...]:
    """The schedule that a method follows in a run's replicas, whatever their axes, is the one that
    the loop has for these replicas' ids."""
    _BLOCKS.clear()
    problem = Quadratic.strongly_convex(_N, 4)
    method = ParameterServer(
        ConstantStep(0.1), _TICKS, Exponential(_MEAN), barrier=BackupWorkers(1),
        schedule_seed=_SEED, replicas=6,
    )  # fmt: skip
    made, due = list[float](), list[float]()
    for ids, replicas in _PLACES:
        context = RunContext(problem, Simulated(_N), Key.seed(1), replicas)
        found = method.plan(context)
        made += [float(axis) for axis in found.arrivals.shape[1:-1]]
        due += [float(axis) for axis in replicas.shape]
        hours = found.seconds.reshape(_TICKS, -1)
        came = found.arrivals.reshape(_TICKS, len(ids), -1)
        for place, replica in enumerate(ids):
            made += [*hours[:, place].tolist(), *came[:, place].flatten().tolist()]
            events = [*_events(_backups(1), _TICKS, replica)]
            due += [one.now for one in events]
            due += [w for one in events for w in (*one.arrived,)]
    return (_same("plans", "replicas follow the schedules of their ids", made, due),)


def worker_states() -> tuple[Verdict, ...]:
    """Who of all workers arrives first, ties by id, and when the last of some does; times of every
    gradient, of the first and of those drawn later."""
    _BLOCKS.clear()
    ends = np.array([[3.0, 1.0, 1.0], [2.0, 2.0, 2.0], [np.inf, 5.0, 0.5]])
    states = WorkerStates(_N, lambda _: ends)
    states.now = np.array([0.0, 2.5, 0.0])
    made, due = list[float](), list[float]()
    for count in range(1, _N + 1):
        for mask, own in zip(states.first(count).tolist(), ends.tolist(), strict=True):
            made += mask
            due += [w in _first(own, count) for w in range(_N)]
    made += states.latest(np.array([[True, True, False], [True] * 3, [False, True, True]])).tolist()
    due += [3.0, 2.5, 5.0]
    key, ids = key_by_hand(_SEED, ("schedule",)), torch.tensor(_IDS)
    durations = Durations(_N, Exponential(_MEAN), key, ids)
    numbers = (0, 1, _TOGETHER - 1, _TOGETHER, 2 * _TOGETHER + 7)
    for number in numbers:
        taken: Floats = durations(np.full((len(_IDS), _N), number))
        made += taken.ravel().tolist()
        made += [durations.one(r, w, number) for r in range(len(_IDS)) for w in range(_N)]
        due += 2 * [_took(replica, w, number) for replica in _IDS for w in range(_N)]
    return (_same("states of workers", "times and arrivals are those by hand", made, due),)


CLOSED_FORMS = (schedules, plans, worker_states)
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: those that follow a schedule, and those that are compared with such."""

"""Effects of barriers at a parameter server, and faults: ages off by one, idle deadlines ..."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
from torch import Tensor

from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import (
    Asynchronous,
    BackupWorkers,
    Bulk,
    Deadline,
    RoundRobin,
)
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant, Exponential, Pareto
from algorithms.synchronisation.conditions import Linked
from algorithms.synchronisation.stale import SSP, EagerSSP
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from algorithms.transforms.base import Transform
from proofs_check.evidence.synchronous.closed_forms_barriers import (
    averaged,
    backup_seconds,
    clock_gap,
    deadline_seconds,
    each_gradient_once,
    no_delay,
    round_robin_age,
    same_as_bsp,
    sampled_noise,
    turn_seconds,
    unit_step,
    within_deadline,
)
from proofs_check.instruments.contrast import Make, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting, around
from proofs_check.methods.faulty.faulty_method import Spoil, SpoiltBarrier, wrapped
from proofs_check.methods.faulty.methods import OwnTwice
from proofs_check.mutants.method_mutant import MethodMutant, fault


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


def _stragglers_too(now: WorkerStates, d: Decision) -> Decision:
    """One more is waited for."""
    arrived = now.first(min(now.n, int(d.arrived[0].sum()) + 1))
    return d._replace(now=now.latest(arrived), arrived=arrived)


def _server(weighting: Weighting, barrier: Barrier) -> ParameterServer:
    return replace(averaged(barrier), weighting=weighting)


@final
@dataclass(frozen=True)
class IdleDeadline(Barrier):
    """Waits for the deadline although all have arrived.

    Attributes:
        seconds: the deadline.
    """

    seconds: float

    @property
    def name(self) -> str:
        return f"idle deadline({self.seconds:g} s)"

    def decide(self, now: WorkerStates) -> Decision:
        right = Deadline(self.seconds).decide(now)
        return right._replace(now=np.maximum(right.now, now.now + self.seconds))


@final
@dataclass(frozen=True)
class PatientDeadline(Barrier):
    """Late workers go on with the gradient they have begun.

    Attributes:
        seconds: the deadline.
    """

    seconds: float

    @property
    def name(self) -> str:
        return f"patient deadline({self.seconds:g} s)"

    def decide(self, now: WorkerStates) -> Decision:
        right = Deadline(self.seconds).decide(now)
        return right._replace(fetched=right.arrived, started=right.arrived)


CALM = Setting(
    "strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    partial(Quadratic.strongly_convex, sigma2=0.01, zeta2=1.0), 8, 400,
    around(1 / 4), replicas=32, d=20,
)  # fmt: skip
"""Little noise, so that staleness is what is seen."""


@final
@dataclass(frozen=True)
class OneGradient(Transform):
    """The first worker's gradient in the place of everybody's: no noise is averaged."""

    @property
    def name(self) -> str:
        return "the first worker's gradient"

    def apply(self, g: Tensor, n: int) -> Tensor:
        return g[..., :1, :].expand_as(g).contiguous()


def _own(**changes: object) -> Make:
    """The row's own method with other fields."""
    return lambda it: replace(it.own, **changes)


def _spoilt(spoil: Spoil, **changes: object) -> Make:
    """The row's own method, of which a barrier's decisions are spoilt, and other fields."""
    return lambda it: replace(it.own, barrier=SpoiltBarrier(it.own.barrier, spoil), **changes)


BSP_SGD = contrast(
    "bsp-sgd",
    "sixteen workers leave a third of the error of one, at most, each at its best stepsize",
    Setting(
        "quadratic-sc-iid", Quadratic.strongly_convex, 16, 300, around(1 / 8), replicas=64,
        points=101, d=20,
    ),
    Reading(last=20),
    method="BSP-SGD, 16 workers",
    baseline=arm("one worker", lambda it: it.own, n=1),
    without=arm(
        "all send the first worker's gradient", lambda it: BSP(it.step, transform=OneGradient())
    ),
    at_most=1 / 3,
    source="Dekel, Gilad-Bachrach, Shamir, Xiao 2012, JMLR, arXiv:1012.1367: linear speed-up",
    scales=("linear", "log"),
)  # fmt: skip


def _waiting(now: WorkerStates, d: Decision) -> Decision:
    """The update is made when all have arrived, of the gradients of the fastest."""
    return d._replace(now=now.latest(~now.nobody()))


_SERVED = 256  # replicas
_HEAVY: Mapping[str, Any] = {"times": Pareto(1e-3, tail=1.5)}
_TIMES: Mapping[str, Any] = {"times": Exponential(1e-3)}

BACKUP_WORKERS = contrast(
    "backup-workers",
    "the slowest eighth is not waited for nor missed",
    Setting(
        "strongly convex quadratic, kappa = 10, sigma2 = zeta2 = 1",
        partial(Quadratic.strongly_convex, sigma2=1.0, zeta2=1.0), 16, 400,
        (1 / 32, 1 / 16, 1 / 8, 1 / 4), replicas=_SERVED, points=121, d=20,
        note="gradients of Pareto times, tail 1.5",
    ),
    Reading("seconds", target=4e-3),
    method=arm("two backup workers of 16", _own(**_HEAVY)),
    baseline=arm("BSP of the same 16 workers", _own(barrier=BackupWorkers(0), **_HEAVY)),
    without=arm(
        "the slowest are dropped when they have come",
        _spoilt(_waiting, **_HEAVY),
    ),
    at_most=0.75, source="Chen et al. 2016, arXiv:1604.00981, Section 4: stragglers mitigated",
)  # fmt: skip


def _late(now: WorkerStates, d: Decision) -> Decision:
    """All are waited for, and hear of each other at every fourth clock only."""
    fourth = (now.clock.min(axis=1) + 1) % 4 == 0
    return d._replace(fetched=d.fetched & fourth[:, None])


SSP_EFFECT = contrast(
    "ssp",
    "who may run ahead of stragglers is there sooner, stale or not",
    replace(
        CALM, title="strongly convex quadratic, mu = 0.3, sigma2 = 10, one objective",
        problem=partial(Quadratic.strongly_convex, mu=0.3, sigma2=10.0), d=100,
        steps=lambda n: 300 * n, points=600,
        step=(1 / 32, 1 / 16, 1 / 8, 1 / 4), replicas=_SERVED,
        note="gradients of exponential times of mean 1 ms",
    ),
    Reading("seconds", budget=0.2),
    method=arm("SSP, three clocks", _own(**_TIMES)),
    baseline=arm(
        "BSP of the same weights", _own(barrier=Bulk(), **_TIMES), steps=150, points=151
    ),
    without=arm(
        "all are waited for, and heard of at every fourth clock",
        lambda it: replace(it.own, barrier=SpoiltBarrier(Bulk(), _late), **_TIMES),
        steps=150, points=151,
    ),
    at_most=0.8, source="Ho et al. 2013, NIPS, Section 5: faster in wall time than BSP",
    scales=("linear", "log"),
)  # fmt: skip


def _seldom(now: WorkerStates, d: Decision) -> Decision:
    """Pushes only every eighth advance of the slowest clock."""
    eighth = (now.clock + d.arrived).min(axis=1) % 8 == 0
    return d._replace(fetched=d.fetched & eighth[:, None])


ESSP = contrast(
    "essp",
    "eager pushes are fresher, and so larger steps are stable",
    replace(CALM, step=around(1 / 2), replicas=64, points=81), Reading(last=60),
    method="eager SSP, eight clocks",
    baseline=arm(
        "SSP of the same lead",
        lambda it: replace(it.own, barrier=SSP(it.own.barrier.s)),
    ),
    without=arm(
        "pushes at every eighth advance only", _spoilt(_seldom)
    ),
    at_most=0.8,
    source="Dai et al. 2015, AAAI, arXiv:1410.8043, Section 4: staleness and stability",
    scales=("linear", "log"),
)  # fmt: skip

_TRANSFER = 2.5e-4  # seconds of one model on the server's link, either way
_ALONE = Linked(STANDARD.times, _TRANSFER, _TRANSFER)
_SHARED = Linked(STANDARD.times, 8 * _TRANSFER, 8 * _TRANSFER)  # all workers' transfers at once

R2SP = contrast(
    "r2sp",
    "transfers that take turns do not share the server's link",
    replace(
        CALM, steps=480, step=(1 / 32, 1 / 16, 1 / 8, 3 / 16), replicas=64, points=121,
        note=f"a transfer {1e3 * _TRANSFER:g} ms",
    ),
    Reading("seconds", target=2e-2),
    method=arm("R2SP", _own(times=_ALONE, barrier=RoundRobin(_TRANSFER))),
    baseline=arm(
        "BSP, whose transfers share the link, every gradient of the same weight",
        _own(times=_SHARED, barrier=Bulk(), weighting=Weighting.SUM), steps=60,
    ),
    without=arm(
        "turns whose transfers share the link all the same",
        _own(times=_SHARED, barrier=RoundRobin()),
    ),
    at_most=0.85, source="Chen, Wang, Li 2019, INFOCOM: contention is what round robin removes",
    scales=("linear", "log"),
)  # fmt: skip


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
        each_gradient_once, wrapped(OwnTwice, unit_step),
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
    MethodMutant(
        "server that sums", "the sum of all gradients where their mean is due",
        lambda: same_as_bsp(Bulk(), "bsp-sgd", partial(_server, Weighting.SUM)),
        lambda: same_as_bsp(Bulk(), "bsp-sgd"),
    ),
    fault(
        "deadline that idles", "an update waits for the deadline although all are in",
        deadline_seconds, IdleDeadline,
    ),
    fault(
        "deadline that keeps late gradients", "late workers go on instead of starting afresh",
        deadline_seconds, PatientDeadline,
    ),
    fault(
        "turns taken by whoever is first", "no worker waits for its turn",
        turn_seconds, Asynchronous(),
    ),
)  # fmt: skip

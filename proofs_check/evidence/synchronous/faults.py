"""BSP, its bounds, barriers and servers with one fault each: sums for means, ages off by one ..."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import final

import numpy as np

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
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stale import SSP, EagerSSP
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.bounds.check import BoundCheck
from proofs_check.evidence.synchronous.closed_forms import stationary_variance
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
from proofs_check.methods.faulty.faulty_method import SpoiltBarrier, wrapped
from proofs_check.methods.faulty.methods import MisscaledBSP, OwnTwice
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.mutants.wrong_bounds import MisreadBound, quarter_noise, workers_squared
from proofs_check.verdict import Verdict
from theory.theorem import Theorem
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex


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


def from_the_minimiser() -> Quadratic:
    """One curvature, start at x*, gamma = 1/L: BSP-SGD attains the noise terms of its bounds."""
    return Quadratic.strongly_convex(4, 16, L=1.0, mu=1.0, sigma2=1.0, R2=0.0)


BSP_UNDER_BOUND = BoundCheck(
    "bsp-sgd", "quadratic-sc", bsp_nonconvex, from_the_minimiser, lambda s, _p, _t: BSP(s), 200
)


def under(theorem: Theorem) -> Verdict:
    """BSP-SGD's whole curve under ``theorem``."""
    return replace(BSP_UNDER_BOUND, theorem=theorem).result().verdicts[0]


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
        "BSP summing gradients", "the sum over workers instead of the mean",
        stationary_variance, MisscaledBSP,
    ),
    fault(
        "BSP dividing by sqrt(n)", "the sum over workers divided by sqrt(n)",
        stationary_variance, lambda step: MisscaledBSP(step, 0.5),
    ),
    MethodMutant(
        "bound with a quarter of the noise", "sigma2/4 in the bound of BSP-SGD, non-convex",
        lambda: under(MisreadBound(bsp_nonconvex, quarter_noise)), lambda: under(bsp_nonconvex),
    ),
    MethodMutant(
        "bound with n squared", "n^2 for n in the bound of BSP-SGD, strongly convex",
        lambda: under(MisreadBound(bsp_strongly_convex, workers_squared)),
        lambda: under(bsp_strongly_convex),
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

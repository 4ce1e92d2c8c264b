"""Closed forms: barriers, backup workers, ssp, essp, r2sp, step times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import BackupWorkers, Deadline, RoundRobin
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.compute_times import (
    Constant,
    Exponential,
    Pareto,
    ShiftedExponential,
)
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.stale import SSP, EagerSSP
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.methods.faulty.methods import OwnTwice
from proofs_check.verdict import Outcome, Verdict
from theory.seconds.step_times import StepTimes
from theory.stepsizes import ConstantStep

# What barriers promise, on drawn schedules and on runs: schedules, the limit BSP, seconds.
#
# Barriers that wait for all are BSP bit for bit. The k-th of n exponential times has mean
# H_n - H_{n-k} (David and Nagaraja 2003, Order Statistics, Section 4.6).


WORKERS, DRAWN_TICKS, DRAWN_REPLICAS, DRAWN_SEED = 6, 150, 8, 61
_TIMES: tuple[ComputeTimes, ...] = (
    Constant((1.0, 0.75, 2.5, 0.25, 1.5, 1.0)), Exponential(), ShiftedExponential(), Pareto(),
)  # fmt: skip
_STEP = ConstantStep(0.05)
Server = Callable[[Barrier], Method[Any]]


def barriers_drawn(barrier: Barrier) -> tuple[Schedule, ...]:
    """Its schedules under four models of time."""
    ids = torch.arange(DRAWN_REPLICAS)
    return tuple(
        barrier.schedule(WORKERS, DRAWN_TICKS, t, Key.seed(DRAWN_SEED), ids) for t in _TIMES
    )


def promise(row: str, claim: str, worst: float, bound: float, check: str) -> Verdict:
    """Does the largest value found, ``worst``, stay within the ``bound``?"""
    return Verdict(
        subject=row, claim=claim, check=check,
        outcome=Outcome.SUPPORTED if worst <= bound else Outcome.REFUTED,
        statistic=worst, bound=bound,
        resolution=0.0,
        evidence=f"largest value {worst:g} over {len(_TIMES)} models of time, {DRAWN_REPLICAS} "
        f"replicas, {DRAWN_TICKS} ticks, {WORKERS} workers",
        provenance=f"seed {DRAWN_SEED}",
    )  # fmt: skip


def averaged(barrier: Barrier) -> ParameterServer:
    """A parameter server that divides by n."""
    return ParameterServer(_STEP, 60, Exponential(), barrier, Weighting.ALL)


def same_as_bsp(barrier: Barrier, row: str, server: Server = averaged) -> Verdict:
    """A barrier that waits for all gives the iterates of BSP, bit for bit."""
    problem = Quadratic.strongly_convex(WORKERS, 10, zeta2=1.0)
    bsp = run(BSP(_STEP), problem, steps=60, replicas=4, seed=DRAWN_SEED)
    trace = run(server(barrier), problem, steps=60, replicas=4, seed=DRAWN_SEED)
    return identity(
        row, f"{barrier.name} is BSP bit for bit", trace.model.numpy(), bsp.model.numpy(),
        check="special case", problem=problem.name, tolerance=0.0,
        provenance=f"60 steps, exponential times, seed {DRAWN_SEED}",
    )  # fmt: skip


def harmonic(n: int) -> float:
    """H_n = 1 + 1/2 + ... + 1/n."""
    return float(sum(1 / k for k in range(1, n + 1)))


def step_seconds(barrier: Barrier, row: str, expected: float, times: ComputeTimes) -> Verdict:
    """Mean seconds of a step against the order statistics of ``times``."""
    replicas, ticks = 512, 200
    schedule = barrier.schedule(WORKERS, ticks, times, Key.seed(DRAWN_SEED), torch.arange(replicas))
    return mean_value(
        row, f"{barrier.name}, {times.name}: mean step seconds",
        (schedule.seconds[-1] / ticks).numpy(), expected, check="order statistics",
        provenance=f"{ticks} steps, {WORKERS} workers, seed {DRAWN_SEED}",
    )  # fmt: skip


# Backup workers and deadlines: no delay, seconds of a step, noise of sampled workers.
#
# (Chen et al. 2016, arXiv:1604.00981.)


def no_delay(barrier: Barrier | None = None, row: str = "backup-workers") -> Verdict:
    """Check that used gradients are of the newest model."""
    barrier = barrier or BackupWorkers(2)
    worst = max(s.tau for s in barriers_drawn(barrier))
    return promise(row, f"{barrier.name}: delay = 0", worst, 0, "delay")


def within_deadline(build: Callable[[float], Barrier] = Deadline) -> Verdict:
    """Updates by several gradients come within the deadline of the last."""
    limit, worst = 0.7, 0.0
    for schedule in barriers_drawn(build(limit)):
        zero = torch.zeros(1, DRAWN_REPLICAS, dtype=torch.float64)
        steps = schedule.seconds.diff(dim=0, prepend=zero)
        several = (schedule.arrivals < WORKERS).sum(-1) > 1
        worst = max(worst, float(steps[several].amax()) if bool(several.any()) else 0.0)
    claim = f"updates of several within {limit} s"
    return promise("backup-workers", claim, worst, limit * (1 + 1e-12), "deadline")


def backup_seconds(build: Callable[[int], Barrier] = BackupWorkers) -> Verdict:
    """Exponential workers: H_n - H_b."""
    return step_seconds(build(2), "backup-workers", harmonic(WORKERS) - harmonic(2), Exponential())


_BACKUP_WORKERS_FORMS = ClosedForms("backup-workers")


@_BACKUP_WORKERS_FORMS.case("sampled workers")
def sampled_noise(times: ComputeTimes | None = None) -> Iterator[Verdict]:
    r"""The mean over the first n - b: unbiased, variance (sigma2 + b/(n-1) zeta2)/(n - b).

    One step of stepsize 1 from x_0 = x*: minus the gradient that was used. Only where the order of
    arrival is uniformly random.
    """
    replicas, spare = 4096, 2
    problem = Quadratic.strongly_convex(WORKERS, 8, zeta2=2.0, sigma2=1.0, R2=0.0)
    server = ParameterServer(
        ConstantStep(1.0), 1, times or Exponential(), BackupWorkers(spare), Weighting.ARRIVED,
        replicas=replicas,
    )  # fmt: skip
    used = -run(
        server, problem, steps=1, replicas=replicas, seed=DRAWN_SEED, points=2
    ).model.numpy()
    stated = server.barrier.constants(problem.constants(), Exponential())
    expected = stated.need("sigma2") / stated.need("n")
    description = f"{replicas} replicas, b={spare} of {WORKERS}, seed {DRAWN_SEED}"
    late = problem.c[-spare:].mean(0)  # where a server that never hears the last workers errs
    yield mean_is(
        "E||g - grad f||^2 = (sigma2 + b/(n-1) zeta2)/(n - b)", np.square(used).sum(-1), expected,
        on=problem, words=description,
    )  # fmt: skip
    yield mean_is(
        "E g = grad f along the last workers' offsets", used @ (late / late.norm()).numpy(), 0.0,
        on=problem, words=description,
    )  # fmt: skip


def backup_workers() -> tuple[Verdict, ...]:
    """Guarantees, and the limit of no backup."""
    return (
        no_delay(), no_delay(Deadline(0.7)), within_deadline(),
        same_as_bsp(BackupWorkers(0), "backup-workers"),
    )  # fmt: skip


def order_statistics() -> tuple[Verdict, ...]:
    """Seconds of a step, and the noise of sampled workers."""
    shifted = ShiftedExponential(0.5, 2.0)
    return (
        backup_seconds(),
        step_seconds(
            BackupWorkers(1), "backup-workers", 0.5 + 2 * (harmonic(WORKERS) - 1), shifted
        ),
        *sampled_noise(),
    )


# SSP: nobody runs far ahead, nobody misses an old update, and own updates count once.
#
# Who starts clock c sees every update of clocks below c - s, and nobody is more than s clocks ahead
# (Ho et al. 2013). With s = 0 it is BSP bit for bit.


def workers_among(ids: torch.Tensor) -> list[int]:
    """The ``ids`` that name a worker; others fill up the schedule."""
    return [i for i in ids.tolist() if i < WORKERS]


def ahead_and_unseen(schedule: Schedule, replica: int) -> tuple[int, int]:
    """Largest lead of a worker that starts; most clocks that its view lags behind its own."""
    clock, held, stamps = np.zeros(WORKERS, int), np.zeros(WORKERS, int), [0]
    ahead = unseen = 0
    for t in range(schedule.ticks):
        for i in workers_among(schedule.arrivals[t, replica]):
            clock[i] += 1
        stamps.append(int(clock.min()))
        held[workers_among(schedule.fetches[t, replica])] = t + 1
        for i in workers_among(schedule.starts[t, replica]):
            ahead = max(ahead, int(clock[i] - clock.min()))
            unseen = max(unseen, int(clock[i]) - stamps[held[i]])
    return ahead, unseen


def clock_gap(build: Callable[[int], Barrier] = SSP, row: str = "ssp") -> tuple[Verdict, ...]:
    """Nobody starts more than s clocks ahead, nor without an update s + 1 clocks old."""
    verdicts = []
    for s in (0, 1, 3):
        found = [
            ahead_and_unseen(schedule, r)
            for schedule in barriers_drawn(build(s))
            for r in range(DRAWN_REPLICAS)
        ]
        ahead, unseen = (max(values) for values in zip(*found, strict=True))
        verdicts += [
            promise(row, f"s={s}: clocks ahead of the slowest <= s", ahead, s, "clock gap"),
            promise(row, f"s={s}: clocks not yet seen <= s", unseen, s, "clock gap"),
        ]
    return tuple(verdicts)


_SSP_FORMS = ClosedForms("ssp")


@_SSP_FORMS.case("own updates", "2 workers, gamma = 1, 6 steps")
def each_gradient_once(server: Server | None = None) -> Verdict:
    r"""f = x^2/2, two workers, gamma = 1 by shares of 1/2: SSP with s = 0 is at 0 after one step.

    Survey Eq. 7 as printed adds a worker's own update again: the root is then -1 (erratum E1).
    """
    ones = torch.ones((2, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, 0 * ones, x0=torch.ones(1, dtype=torch.float64))
    trace = run((server or unit_step)(SSP(0)), problem, steps=6)
    return same(
        "own updates are counted once: x_t = 0 from t = 1 on", trace.model.numpy(), 0.0, on=problem
    )


@demonstrates(
    "E1",
    "ssp",
    "f = x^2/2, two workers, gamma = 1/2 each, s = 0: |x_t|, t >= 1",
    covers=("essp", "ssp"),
)
def e1() -> Shown:
    """Counted twice, the root of x_t is -1; once, x is 0 from the first step on."""
    printed = each_gradient_once(lambda barrier: OwnTwice(unit_step(barrier)))
    return (
        (abs(each_gradient_once().statistic or 0.0), 0.0),
        (abs(printed.statistic or 0.0), 0.0),
        "printed: a worker's own update is added again",
    )


def unit_step(barrier: Barrier) -> ParameterServer:
    """A parameter server with gamma = 1, divided by n."""
    return ParameterServer(ConstantStep(1.0), 6, Constant(), barrier, Weighting.ALL)


def ssp() -> tuple[Verdict, ...]:
    """Clocks, the limit s = 0, and the worker's own updates."""
    return (*clock_gap(), same_as_bsp(SSP(0), "ssp"), each_gradient_once())


# Eager SSP keeps what SSP promises.


def essp() -> tuple[Verdict, ...]:
    """Clocks, and the limit s = 0."""
    return (*clock_gap(EagerSSP, "essp"), same_as_bsp(EagerSSP(0), "essp"))


# Round robin: every gradient is exactly n - 1 updates old.


r2sp = ClosedForms("r2sp")
"""Closed forms of r2sp."""


@r2sp.case("delay", f"four models of time, seed {DRAWN_SEED}")
def round_robin_age(barrier: Barrier | None = None) -> Verdict:
    """From the second round on every gradient is exactly n - 1 updates old."""
    schedules = barriers_drawn(barrier or RoundRobin())
    ages = torch.cat([s.staleness[WORKERS:, :, 0].reshape(-1) for s in schedules]).numpy()
    return same("delay = n - 1 from the second round on", ages, WORKERS - 1)


# Mean seconds of an update, and what counts in it, against ``theory.seconds.step_times``.
#
# Deadlines (backup-workers) and turns (r2sp); partial barriers are in ``closed_forms.admm``.


N, TICKS, _SETTLED, _REPLICAS, _SEED = 5, 300, 100, 512, 151
PROVENANCE = f"{N} workers, {_REPLICAS} replicas, seed {_SEED}"
_SHIFTED, _LAW = ShiftedExponential(0.4, 1.6), StepTimes(0.4, 1.6)
Limit = Callable[[float], Barrier]


def step_times_drawn(barrier: Barrier, times: ComputeTimes, n: int = N) -> Schedule:
    """Its schedule for n workers, ``_REPLICAS`` times."""
    return barrier.schedule(n, TICKS, times, Key.seed(_SEED), torch.arange(_REPLICAS))


@_BACKUP_WORKERS_FORMS.case("order statistics", PROVENANCE)
def deadline_seconds(build: Limit = Deadline) -> Iterator[Verdict]:
    """A deadline before, around and after the mean of a gradient; gradients in time."""
    for limit in (0.3, 0.9, 2.0, 5.0):
        schedule = step_times_drawn(build(limit), _SHIFTED)
        arrived = (schedule.arrivals < N).sum(-1).double().mean(0)
        for what, samples, expected in (
            ("seconds of an update", schedule.seconds[-1] / TICKS, _LAW.deadline(N, limit)),
            ("gradients of an update", arrived, _LAW.in_time(N, limit)),
        ):
            yield mean_is(f"deadline {limit} s: mean {what}", samples.numpy(), expected)


def turn_seconds(barrier: Barrier | None = None) -> tuple[Verdict, ...]:
    """Round robin once settled, for two and more workers; exactly, for constant times."""
    turns, verdicts = barrier or RoundRobin(), []
    for n in (2, 3, 5):
        seconds = step_times_drawn(turns, Exponential(1.5), n).seconds
        verdicts.append(
            mean_value(
                "r2sp", f"{n} workers in turn: mean seconds of an update",
                ((seconds[-1] - seconds[_SETTLED]) / (TICKS - 1 - _SETTLED)).numpy(),
                StepTimes(0.0, 1.5).in_turn(n), check="stationary law", provenance=PROVENANCE,
            )
        )  # fmt: skip
    whole = step_times_drawn(turns, Constant(2.0)).seconds[N - 1 :: N, 0].diff()
    exact = identity(
        "r2sp", "constant times: a round takes one gradient", whole.numpy() / N,
        StepTimes(2.0, 0.0).in_turn(N), check="constant times", provenance=PROVENANCE,
    )  # fmt: skip
    return (*verdicts, exact)


def further_step_times() -> tuple[Verdict, ...]:
    """Mean seconds of an update with a deadline and in turns."""
    return (*deadline_seconds(), *turn_seconds())


CLOSED_FORMS = (backup_workers, order_statistics, ssp, essp, further_step_times)


COVERS = {"further_step_times": ("backup-workers", "r2sp"), "order_statistics": ("backup-workers",)}

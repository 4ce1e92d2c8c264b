r"""What barriers promise, on drawn schedules and on runs.

SSP: who starts clock c sees every update of clocks below c - s, and nobody is more than s clocks
ahead. A partial barrier bounds the delay, round robin makes it exactly n - 1, backup workers and
deadlines have none. Barriers that wait for all are BSP bit for bit. The k-th of n exponential
times has mean H_n - H_{n-k}. (Ho et al. 2013; Chen et al. 2016, arXiv:1604.00981; Zhang and Kwok
2014; David and Nagaraja 2003, Order Statistics, Section 4.6.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.key import Key
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from algorithms.synchronisation.barriers import (
    Asynchronous,
    BackupWorkers,
    Bulk,
    Deadline,
    PartialBarrier,
    RoundRobin,
)
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.compute_times import (
    Constant,
    Exponential,
    Pareto,
    ShiftedExponential,
)
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.stale import SSP, EagerSSP
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

_N, _TICKS, _REPLICAS, _SEED = 6, 150, 8, 61
_TIMES: tuple[ComputeTimes, ...] = (
    Constant((1.0, 0.75, 2.5, 0.25, 1.5, 1.0)), Exponential(), ShiftedExponential(), Pareto(),
)  # fmt: skip
_STEP = ConstantStep(0.05)
Server = Callable[[Barrier], Method[Any]]


def drawn(barrier: Barrier) -> tuple[Schedule, ...]:
    """Its schedules under four models of time."""
    ids = torch.arange(_REPLICAS)
    return tuple(barrier.schedule(_N, _TICKS, t, Key.seed(_SEED), ids) for t in _TIMES)


def _promise(row: str, claim: str, worst: float, bound: float, check: str) -> Verdict:
    return Verdict(
        subject=row, claim=claim, check=check,
        outcome=Outcome.PROVED if worst <= bound else Outcome.REFUTED,
        statistic=worst, bound=bound,
        evidence=f"largest value {worst:g} over {len(_TIMES)} models of time, {_REPLICAS} "
        f"replicas, {_TICKS} ticks, {_N} workers",
        provenance=f"seed {_SEED}",
    )  # fmt: skip


def _somebody(ids: torch.Tensor) -> list[int]:
    return [i for i in ids.tolist() if i < _N]


def _ahead_and_unseen(schedule: Schedule, replica: int) -> tuple[int, int]:
    """Largest lead of a worker that starts; most clocks that its view lags behind its own."""
    clock, held, stamps = np.zeros(_N, int), np.zeros(_N, int), [0]
    ahead = unseen = 0
    for t in range(schedule.ticks):
        for i in _somebody(schedule.arrivals[t, replica]):
            clock[i] += 1
        stamps.append(int(clock.min()))
        held[_somebody(schedule.fetches[t, replica])] = t + 1
        for i in _somebody(schedule.starts[t, replica]):
            ahead = max(ahead, int(clock[i] - clock.min()))
            unseen = max(unseen, int(clock[i]) - stamps[held[i]])
    return ahead, unseen


def clock_gap(build: Callable[[int], Barrier] = SSP, row: str = "ssp") -> tuple[Verdict, ...]:
    """Nobody starts more than s clocks ahead, nor without an update s + 1 clocks old."""
    verdicts = []
    for s in (0, 1, 3):
        found = [
            _ahead_and_unseen(schedule, r) for schedule in drawn(build(s)) for r in range(_REPLICAS)
        ]
        ahead, unseen = (max(values) for values in zip(*found, strict=True))
        verdicts += [
            _promise(row, f"s={s}: clocks ahead of the slowest <= s", ahead, s, "clock gap"),
            _promise(row, f"s={s}: clocks not yet seen <= s", unseen, s, "clock gap"),
        ]
    return tuple(verdicts)


def delay_bound(
    build: Callable[[int, int], Barrier] = PartialBarrier,
) -> tuple[Verdict, ...]:
    """A partial barrier: at least S arrivals, delay at most tau - 1."""
    verdicts = []
    for least, tau in ((1, 4), (3, 2), (4, 8)):
        schedules = drawn(build(least, tau))
        fewest = min(int((s.arrivals < _N).sum(-1).min()) for s in schedules)
        oldest = max(s.tau for s in schedules)
        told = f"S={least}, tau={tau}"
        verdicts += [
            _promise("async-admm", f"{told}: delay <= tau - 1", oldest, tau - 1, "delay bound"),
            _promise("async-admm", f"{told}: S - arrivals <= 0", least - fewest, 0, "delay bound"),
        ]
    return tuple(verdicts)


def no_delay(barrier: Barrier | None = None, row: str = "backup-workers") -> Verdict:
    """What counts was computed on the newest model."""
    barrier = barrier or BackupWorkers(2)
    worst = max(s.tau for s in drawn(barrier))
    return _promise(row, f"{barrier.name}: delay = 0", worst, 0, "delay")


def round_robin_age(barrier: Barrier | None = None) -> Verdict:
    """From the second round on every gradient is exactly n - 1 updates old."""
    schedules = drawn(barrier or RoundRobin())
    ages = torch.cat([s.staleness[_N:, :, 0].reshape(-1) for s in schedules]).numpy()
    return identity(
        "r2sp", "delay = n - 1 from the second round on", ages, _N - 1, check="delay",
        provenance=f"four models of time, seed {_SEED}",
    )  # fmt: skip


def equal_times_age(barrier: Barrier | None = None) -> Verdict:
    """Asynchronous workers of one constant speed: every gradient is n - 1 updates old."""
    schedule = (barrier or Asynchronous()).schedule(
        _N, _TICKS, Constant(), Key.seed(_SEED), torch.arange(1)
    )
    return identity(
        "asp", "equal speeds: delay = n - 1", schedule.staleness[_N:, 0, 0].numpy(), _N - 1,
        check="delay", provenance="constant times",
    )  # fmt: skip


def within_deadline(build: Callable[[float], Barrier] = Deadline) -> Verdict:
    """Where several count, the update comes within the deadline of the last."""
    limit, worst = 0.7, 0.0
    for schedule in drawn(build(limit)):
        zero = torch.zeros(1, _REPLICAS, dtype=torch.float64)
        steps = schedule.seconds.diff(dim=0, prepend=zero)
        several = (schedule.arrivals < _N).sum(-1) > 1
        worst = max(worst, float(steps[several].amax()) if bool(several.any()) else 0.0)
    claim = f"updates of several within {limit} s"
    return _promise("backup-workers", claim, worst, limit * (1 + 1e-12), "deadline")


def averaged(barrier: Barrier) -> ParameterServer:
    """A parameter server that divides by n."""
    return ParameterServer(_STEP, 60, Exponential(), barrier, Weighting.ALL)


def same_as_bsp(barrier: Barrier, row: str, server: Server = averaged) -> Verdict:
    """A barrier that waits for all gives the iterates of BSP, bit for bit."""
    problem = Quadratic.strongly_convex(_N, 10, zeta2=1.0)
    bsp = run(BSP(_STEP), problem, steps=60, replicas=4, seed=_SEED)
    trace = run(server(barrier), problem, steps=60, replicas=4, seed=_SEED)
    return identity(
        row, f"{barrier.name} is BSP bit for bit", trace.model.numpy(), bsp.model.numpy(),
        check="special case", problem=problem.name, tolerance=0.0,
        provenance=f"60 steps, exponential times, seed {_SEED}",
    )  # fmt: skip


def each_gradient_once(server: Server | None = None) -> Verdict:
    r"""f = x^2/2, two workers, gamma = 1 by shares of 1/2: SSP with s = 0 is at 0 after one step.

    Survey Eq. 7 as printed adds a worker's own update again: the root is then -1 (erratum E1).
    """
    ones = torch.ones((2, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, 0 * ones, x0=torch.ones(1, dtype=torch.float64))
    trace = run((server or unit_step)(SSP(0)), problem, steps=6)
    return identity(
        "ssp", "own updates are counted once: x_t = 0 from t = 1 on", trace.model.numpy(), 0.0,
        check="erratum E1", problem=problem.name, provenance="2 workers, gamma = 1, 6 steps",
    )  # fmt: skip


def unit_step(barrier: Barrier) -> ParameterServer:
    """A parameter server with gamma = 1, divided by n."""
    return ParameterServer(ConstantStep(1.0), 6, Constant(), barrier, Weighting.ALL)


def harmonic(n: int) -> float:
    """H_n = 1 + 1/2 + ... + 1/n."""
    return float(sum(1 / k for k in range(1, n + 1)))


def step_seconds(barrier: Barrier, row: str, expected: float, times: ComputeTimes) -> Verdict:
    """Mean seconds of a step against the order statistics of ``times``."""
    replicas, ticks = 512, 200
    schedule = barrier.schedule(_N, ticks, times, Key.seed(_SEED), torch.arange(replicas))
    return mean_value(
        row, f"{barrier.name}, {times.name}: mean step seconds",
        (schedule.seconds[-1] / ticks).numpy(), expected, check="order statistics",
        provenance=f"{ticks} steps, {_N} workers, seed {_SEED}",
    )  # fmt: skip


def backup_seconds(build: Callable[[int], Barrier] = BackupWorkers) -> Verdict:
    """Exponential workers: H_n - H_b."""
    return step_seconds(build(2), "backup-workers", harmonic(_N) - harmonic(2), Exponential())


def sampled_noise(times: ComputeTimes | None = None) -> tuple[Verdict, ...]:
    r"""The mean over the first n - b: unbiased, variance (sigma2 + b/(n-1) zeta2)/(n - b).

    One step of stepsize 1 from x_0 = x*: minus the gradient that was used. Only where the order of
    arrival is uniformly random.
    """
    replicas, spare = 4096, 2
    problem = Quadratic.strongly_convex(_N, 8, zeta2=2.0, sigma2=1.0, R2=0.0)
    server = ParameterServer(
        ConstantStep(1.0), 1, times or Exponential(), BackupWorkers(spare), Weighting.ARRIVED,
        replicas=replicas,
    )  # fmt: skip
    used = -run(server, problem, steps=1, replicas=replicas, seed=_SEED, points=2).model.numpy()
    stated = server.barrier.constants(problem.constants(), Exponential())
    expected = stated.need("sigma2") / stated.need("n")
    told = f"{replicas} replicas, b={spare} of {_N}, seed {_SEED}"
    late = problem.c[-spare:].mean(0)  # where a server that never hears the last workers errs
    return (
        mean_value(
            "backup-workers", "E||g - grad f||^2 = (sigma2 + b/(n-1) zeta2)/(n - b)",
            np.square(used).sum(-1), expected, check="sampled workers", problem=problem.name,
            provenance=told,
        ),
        mean_value(
            "backup-workers", "E g = grad f along the last workers' offsets",
            used @ (late / late.norm()).numpy(), 0.0, check="sampled workers",
            problem=problem.name, provenance=told,
        ),
    )  # fmt: skip


def order_statistics() -> tuple[Verdict, ...]:
    """BSP, backup workers, partial barrier, asynchronous; the noise of sampled workers."""
    shifted = ShiftedExponential(0.5, 2.0)
    return (
        step_seconds(Bulk(), "bsp-sgd", harmonic(_N), Exponential()),
        step_seconds(Bulk(), "bsp-sgd", 0.5 + 2 * harmonic(_N), shifted),
        backup_seconds(),
        step_seconds(BackupWorkers(1), "backup-workers", 0.5 + 2 * (harmonic(_N) - 1), shifted),
        step_seconds(
            PartialBarrier(2, 10**6), "async-admm", harmonic(_N) - harmonic(_N - 2), Exponential()
        ),
        step_seconds(Asynchronous(), "asp", 1 / _N, Exponential()),
        *sampled_noise(),
    )


def barrier_promises() -> tuple[Verdict, ...]:
    """All of the above."""
    return (
        *clock_gap(), *clock_gap(EagerSSP, "essp"), *delay_bound(), no_delay(),
        no_delay(Deadline(0.7)), round_robin_age(), equal_times_age(), within_deadline(),
        same_as_bsp(SSP(0), "ssp"), same_as_bsp(EagerSSP(0), "essp"),
        same_as_bsp(BackupWorkers(0), "backup-workers"),
        same_as_bsp(PartialBarrier(_N, 3), "async-admm"), same_as_bsp(Bulk(), "bsp-sgd"),
        each_gradient_once(),
    )  # fmt: skip


CLOSED_FORMS = (
    barrier_promises,
    order_statistics,
)

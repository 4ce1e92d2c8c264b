"""Barriers: their promises on drawn times, against event queues and order statistics."""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation import base
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
from algorithms.synchronisation.conditions import Linked, LostWorker, RecordedTimes
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.stale import SSP, EagerSSP
from algorithms.synchronisation.window import Window
from algorithms.synchronisation.worker_states import WorkerLost
from theory.stepsizes import ConstantStep

ERROR = 1e-9  # of each statistical test; seeds are fixed
KEY = Key.seed(11)
STEP = ConstantStep(0.05)
BARRIERS: tuple[Barrier, ...] = (
    Bulk(), BackupWorkers(1), SSP(0), SSP(2), EagerSSP(2), RoundRobin(), Asynchronous(),
    PartialBarrier(2, 3), Deadline(0.7),
)  # fmt: skip
TIMES: tuple[ComputeTimes, ...] = (
    Constant(), Constant((1.0, 0.75, 2.5, 0.25, 1.5)), Exponential(), ShiftedExponential(),
    Pareto(), Linked(Exponential(), 0.25, 0.125),
)  # fmt: skip
barriers = st.sampled_from(BARRIERS)
times = st.sampled_from(TIMES)
seeds = st.integers(0, 2**31)


def draw(barrier: Barrier, times: ComputeTimes, seed: int, ticks: int = 60) -> Schedule:
    return barrier.schedule(5, ticks, times, Key.seed(seed), torch.arange(3))


def ids(row: torch.Tensor, n: int = 5) -> list[int]:
    return [i for i in row.tolist() if i < n]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from((SSP, EagerSSP)), st.integers(0, 4), times, seeds)
def test_no_worker_runs_more_than_s_clocks_ahead(kind, s, times, seed) -> None:
    """At every start: clock <= slowest + s, and the view holds all updates of clock - s - 1."""
    schedule = draw(kind(s), times, seed)
    for r in range(3):
        clock, held, stamps = np.zeros(5, int), np.zeros(5, int), [0]
        for t in range(schedule.ticks):
            for i in ids(schedule.arrivals[t, r]):
                clock[i] += 1
            stamps.append(int(clock.min()))  # all updates up to this clock are in version t + 1
            held[ids(schedule.fetches[t, r])] = t + 1
            for i in ids(schedule.starts[t, r]):
                assert clock[i] - clock.min() <= s
                assert stamps[held[i]] >= clock[i] - s


@settings(max_examples=40, deadline=None)
@given(barriers, times, seeds)
def test_who_starts_has_arrived_or_drops_and_versions_are_those_held(barrier, times, seed) -> None:
    schedule = draw(barrier, times, seed)
    for r in range(3):
        busy, held, view = set(range(5)), np.zeros(5, int), np.zeros(5, int)
        dropped = np.zeros(5, int)
        for t in range(schedule.ticks):
            arrived, started = ids(schedule.arrivals[t, r]), ids(schedule.starts[t, r])
            assert arrived and set(arrived) <= busy
            assert schedule.versions[t, r, : len(arrived)].tolist() == view[arrived].tolist()
            for i in set(started) & busy - set(arrived):
                dropped[i] += 1
            busy = busy - set(arrived) | set(started)
            held[ids(schedule.fetches[t, r])] = t + 1
            view[started] = held[started]
        assert schedule.dropped[r].tolist() == dropped.tolist()
    assert (schedule.seconds.diff(dim=0) >= 0).all()


@settings(max_examples=30, deadline=None)
@given(barriers, times, seeds, st.integers(1, 59))
def test_a_replica_does_not_depend_on_its_company_nor_on_the_future(
    barrier, times, seed, ticks
) -> None:
    whole = draw(barrier, times, seed)
    short = barrier.schedule(5, ticks, times, Key.seed(seed), torch.tensor([2, 0]))
    for t in range(ticks):
        for field in ("arrivals", "fetches", "starts"):
            for r, place in ((2, 0), (0, 1)):
                long = ids(getattr(whole, field)[t, r])
                assert long == ids(getattr(short, field)[t, place])
    assert torch.equal(short.seconds, whole.seconds[:ticks, [2, 0]])


@settings(max_examples=20, deadline=None)
@given(times, seeds, st.integers(1, 5), st.integers(1, 6))
def test_partial_barriers_bound_the_delay_and_wait_for_enough(times, seed, least, tau) -> None:
    schedule = draw(PartialBarrier(least, tau), times, seed)
    assert schedule.tau <= tau - 1
    assert ((schedule.arrivals < 5).sum(-1) >= least).all()


@settings(max_examples=20, deadline=None)
@given(times, seeds)
def test_round_robin_is_exactly_a_round_old(times, seed) -> None:
    schedule = draw(RoundRobin(), times, seed)
    assert (schedule.arrivals[..., 0] == torch.arange(60)[:, None] % 5).all()
    assert (schedule.staleness[4:] == 4).all()


@settings(max_examples=20, deadline=None)
@given(times, seeds, st.floats(0.05, 3.0))
def test_deadlines_are_kept(times, seed, limit) -> None:
    schedule = draw(Deadline(limit), times, seed)
    steps = schedule.seconds.diff(dim=0, prepend=torch.zeros(1, 3, dtype=torch.float64))
    several = (schedule.arrivals < 5).sum(-1) > 1
    assert (steps[several] <= limit * (1 + 1e-12)).all() and schedule.tau == 0


def ssp_by_queue(s: int, means: tuple[float, ...], ticks: int) -> list[tuple[float, list[int]]]:
    """Stale synchronous parallel by an event queue: when, and who starts."""
    n = len(means)
    queue = [(mean, i) for i, mean in enumerate(means)]
    heapq.heapify(queue)
    clock, waiting, events = [0] * n, set[int](), []
    while len(events) < ticks:
        now, subset = heapq.heappop(queue)
        clock[subset] += 1
        waiting.add(subset)
        free = sorted(i for i in waiting if clock[i] - min(clock) <= s)
        for i in free:
            heapq.heappush(queue, (now + means[i], i))
        waiting -= set(free)
        if free:
            events.append((now, free))
    return events


@pytest.mark.parametrize("s", [0, 1, 3])
def test_ssp_follows_an_event_queue(s: int) -> None:
    means = (1.0, 0.75, 2.5, 0.25, 1.5)
    schedule = SSP(s).schedule(5, 100, Constant(means), KEY, torch.arange(1))
    for t, (now, free) in enumerate(ssp_by_queue(s, means, 100)):
        assert schedule.seconds[t, 0] == now and ids(schedule.starts[t, 0]) == free


@pytest.mark.parametrize(
    "barrier",
    [Bulk(), BackupWorkers(0), SSP(0), EagerSSP(0), PartialBarrier(6, 3), Deadline(1e9)],
    ids=lambda barrier: barrier.name,
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_barriers_that_wait_for_all_are_bsp_bit_for_bit(barrier, dtype) -> None:
    problem = Quadratic.strongly_convex(6, 10, zeta2=1.0, dtype=dtype)
    bsp = run(BSP(STEP), problem, steps=80, replicas=4)
    for weighting in (Weighting.ALL, Weighting.ARRIVED):
        server = ParameterServer(STEP, 80, Exponential(), barrier, weighting)
        trace = run(server, problem, steps=80, replicas=4)
        assert torch.equal(trace.rows, bsp.rows)
        assert torch.equal(trace.account.sent_bits, bsp.account.sent_bits)
        assert torch.equal(trace.account.received_bits, bsp.account.received_bits)


def harmonic(n: int) -> float:
    return float(sum(1 / k for k in range(1, n + 1)))


@pytest.mark.parametrize(
    ("barrier", "times", "expected"),
    [
        (Bulk(), Exponential(2.0), 2 * harmonic(8)),
        (BackupWorkers(2), Exponential(2.0), 2 * (harmonic(8) - harmonic(2))),
        (BackupWorkers(3), ShiftedExponential(0.5, 1.0), 0.5 + harmonic(8) - harmonic(3)),
        (Asynchronous(), Exponential(2.0), 2 / 8),
        (PartialBarrier(3, 10**6), Exponential(1.0), harmonic(8) - harmonic(5)),
        (RoundRobin(), Constant(2.0), 2 / 8),
        (Bulk(), Constant((1.0, 2.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0)), 3.0),
    ],
    ids=str,
)
def test_mean_step_times_are_those_of_order_statistics(barrier, times, expected) -> None:
    """The k-th of n exponential times has mean H_n - H_(n-k); they forget how long they took."""
    ticks, replicas = 240, 256
    schedule = barrier.schedule(8, ticks, times, KEY, torch.arange(replicas))
    mean = (schedule.seconds[-1] / ticks).numpy()
    half = stats.t.isf(ERROR / 2, replicas - 1) * mean.std(ddof=1) / replicas**0.5
    edge = 3.0 / ticks  # what the first and the last round may differ by, relative
    assert half < 0.05 * expected
    assert abs(mean.mean() - expected) <= half + edge * expected


def test_waiting_and_work_add_up() -> None:
    """Constant times: the hour of a worker's last start is its gradients' time and its waits."""
    means = (1.0, 0.75, 2.5, 0.25, 1.5)
    for barrier in (Bulk(), SSP(1), SSP(3), EagerSSP(2), RoundRobin(), PartialBarrier(2, 4)):
        schedule = barrier.schedule(5, 90, Constant(means), KEY, torch.arange(1))
        done, last = np.zeros(5), np.zeros(5)
        for t in range(90):
            for i in ids(schedule.starts[t, 0]):
                last[i] = schedule.seconds[t, 0]
        for t in range(90):
            for i in ids(schedule.arrivals[t, 0]):
                if schedule.seconds[t, 0] <= last[i]:
                    done[i] += 1
        assert schedule.waited[0].numpy() == pytest.approx(last - done * np.array(means))


def test_eager_pushes_are_fresher_than_lazy_fetches() -> None:
    lazy, eager = (
        kind(4).schedule(8, 400, Exponential(), KEY, torch.arange(64)) for kind in (SSP, EagerSSP)
    )
    assert torch.equal(lazy.seconds, eager.seconds) and torch.equal(lazy.starts, eager.starts)
    gain = (lazy.staleness - eager.staleness).double().mean((0, 2)).numpy()
    assert stats.ttest_1samp(gain, 0.0, alternative="greater").pvalue < ERROR


def test_traces_are_read_and_repeat(tmp_path) -> None:
    path = tmp_path / "times.csv"
    path.write_text("1.0, 2.0\n0.5,0.5\n\n")
    trace = RecordedTimes.read(path)
    schedule = Bulk().schedule(2, 4, trace, KEY, torch.arange(2))
    assert schedule.seconds[:, 1].tolist() == [1.0, 3.0, 4.0, 6.0]
    path.write_text("1.0, two\n")
    with pytest.raises(ValueError, match=r"times.csv, line 1: could not convert .* seconds"):
        RecordedTimes.read(path)
    with pytest.raises(ValueError, match=r"trace .*nothing.csv cannot be read: No such file"):
        RecordedTimes.read(tmp_path / "nothing.csv")
    with pytest.raises(ValueError, match="holds 2 workers, 3 are asked for"):
        Bulk().schedule(3, 4, trace, KEY, torch.arange(1))


def test_heavy_tails_have_their_mean_and_index() -> None:
    draws = KEY.draws(torch.arange(64), torch.arange(8))
    times = Pareto(2.0, 3.0).seconds(draws, 400).numpy().ravel()
    assert stats.kstest(times, stats.pareto(3.0, scale=2.0 * 2 / 3).cdf).pvalue > ERROR


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: SSP(-1), "s must be at least 0 clocks, got s=-1"),
        (lambda: EagerSSP(-2), "s must be at least 0 clocks, got s=-2"),
        (lambda: Deadline(0.0), "seconds must be positive, got seconds=0.0"),
        (lambda: PartialBarrier(1, 0), "tau must be at least 1 update, got tau=0"),
        (lambda: draw(BackupWorkers(5), Constant(), 0), r"b must lie in \[0, n\), got b=5"),
        (lambda: draw(PartialBarrier(6, 2), Constant(), 0), r"least must lie in \[1, n\], got"),
        (lambda: draw(Bulk(), Constant(), 0, ticks=0), "ticks must be at least 1, got ticks=0"),
        (lambda: draw(Bulk(), Constant((1.0, 2.0)), 0), "got 2 for 5 workers"),
        (lambda: Pareto(1.0, 1.0), "tail must be finite and above 1"),
        (lambda: ShiftedExponential(-1.0), "shift must be positive and finite"),
        (lambda: Linked(Constant(), -1.0, 0.0), "up must be finite and >= 0 seconds"),
        (lambda: RecordedTimes(((1.0,), (1.0, 2.0))), r"rows of lengths \[1, 2\]"),
        (lambda: RecordedTimes(((1.0, -2.0),)), r"table\[0\]\[1\] must be positive"),
    ],
)
def test_bad_arguments_are_named(build, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_schedules_replay_on_chosen_replicas() -> None:
    whole = draw(SSP(2), Exponential(), 3)
    part = whole.for_replicas(torch.tensor([1]))
    assert torch.equal(
        part.tick(7).starts, whole.starts[7, [1]][..., : part.tick(7).starts.shape[-1]]
    )
    with pytest.raises(ValueError, match=r"versions must be torch\.int64"):
        replace(whole, versions=whole.versions.double())


def clock_ages(schedule: Schedule) -> torch.Tensor:
    """Of every gradient in the order of arrival: its worker's clock when it began, less the slowest
    clock behind the model that it was taken at."""
    ticks, replicas, _ = schedule.arrivals.shape
    ages = []
    for r in range(replicas):
        clock, slowest = [0] * schedule.n, [0]
        for t in range(ticks):
            pairs = zip(
                schedule.arrivals[t, r].tolist(), schedule.versions[t, r].tolist(), strict=True
            )
            here = [(i, v) for i, v in pairs if i < schedule.n]
            ages += [clock[i] - slowest[v] for i, v in here]
            for i, _v in here:
                clock[i] += 1
            slowest.append(min(clock))
    return torch.tensor(ages)


@pytest.mark.parametrize("n", [4, 16])
def test_eager_ssp_is_never_older_in_clocks_and_may_be_older_in_updates(n):
    """The same gradients arrive at the same times under both; s = 3 is the catalogue's."""
    both = [
        barrier.schedule(n, 400, ShiftedExponential(), KEY, torch.arange(4))
        for barrier in (SSP(3), EagerSSP(3))
    ]
    lazy, eager = both
    assert torch.equal(lazy.arrivals, eager.arrivals) and torch.equal(lazy.seconds, eager.seconds)
    lazy_ages, eager_ages = map(clock_ages, both)
    assert (
        eager_ages <= lazy_ages
    ).all() and eager_ages.double().mean() < lazy_ages.double().mean()
    assert int(lazy_ages.max()) == int(eager_ages.max()) == 3
    updates = [one.staleness[one.arrivals < n].double().mean() for one in both]
    assert (updates[1] > updates[0]) == (n == 16)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from((*BARRIERS, Window(0.3), BackupWorkers(0), RoundRobin(0.5))), times, seeds,
       st.sampled_from([1, 30, 300]), st.sampled_from([None, 0, 3]))  # fmt: skip
def test_compiled_drawing_gives_what_barriers_decide(barrier, times, seed, ticks, lost):
    given_times = times if lost is None else LostWorker(times, 1, lost)
    ends = []
    for by_tick in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if by_tick:
                patch.setattr(base, "COMPILED", False)
            try:
                ends.append(draw(barrier, given_times, seed, ticks))
            except WorkerLost as error:
                ends.append(error)
    one, other = ends
    if isinstance(one, WorkerLost):
        assert str(one) == str(other)
        return
    for name in ("arrivals", "versions", "seconds", "fetches", "starts", "waited", "dropped"):
        assert torch.equal(getattr(one, name), getattr(other, name)), name
    assert str(one.lost) == str(other.lost)

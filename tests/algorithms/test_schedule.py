"""Asynchronous schedules: exact orders, laws at error 1e-9, reproducibility, refusals."""

import heapq
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats

from algorithms.core.key import Key
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.schedule import Schedule

ERROR = 1e-9  # of each statistical test; seeds are fixed
KEY = Key.seed(7)
ONE = torch.arange(1)


def same(a: Schedule, b: Schedule) -> bool:
    return all(
        torch.equal(getattr(a, name), getattr(b, name))
        for name in ("arrivals", "seconds", "versions", "fetches", "starts")
    )


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_equal_constant_times_give_round_robin(n: int) -> None:
    schedule = Asynchronous().schedule(n, 4 * n, Constant(0.5), KEY, torch.arange(3))
    assert schedule.arrivals.shape == (4 * n, 3, 1) and schedule.ticks == 4 * n
    assert schedule.tau == n - 1
    for r in range(3):
        assert schedule.arrivals[:, r, 0].tolist() == list(range(n)) * 4
        assert schedule.seconds[:, r].tolist() == [0.5 * (1 + t // n) for t in range(4 * n)]
        assert schedule.staleness[:, r, 0].tolist() == [min(t, n - 1) for t in range(4 * n)]


def test_constant_times_follow_an_event_queue() -> None:
    """Against heapq; means are dyadic, so that times are exact and ties are real."""
    means = (1.0, 0.75, 2.5, 0.25)
    schedule = Asynchronous().schedule(4, 200, Constant(means), KEY, ONE)
    queue = [(mean, i) for i, mean in enumerate(means)]
    heapq.heapify(queue)
    version = dict.fromkeys(range(4), 0)
    for t in range(200):
        now, subset = heapq.heappop(queue)
        heapq.heappush(queue, (now + means[subset], subset))
        assert schedule.arrivals[t, 0, 0] == subset and schedule.seconds[t, 0] == now
        assert schedule.staleness[t, 0, 0] == t - version[subset]
        version[subset] = t + 1


def test_staleness_counts_updates_since_the_last_arrival() -> None:
    """The version read is the one left by the worker's previous arrival."""
    schedule = Asynchronous().schedule(6, 500, Exponential(), KEY, torch.arange(4))
    for r in range(4):
        last = dict.fromkeys(range(6), -1)
        for t, subset in enumerate(schedule.arrivals[:, r, 0].tolist()):
            assert schedule.staleness[t, r, 0] == t - (last[subset] + 1)
            last[subset] = t
    assert schedule.tau == int(schedule.staleness.max())
    assert (schedule.seconds.diff(dim=0) >= 0).all()


@pytest.mark.parametrize(
    "mean", [1.0, (1.0, 2.0, 4.0, 0.5, 8.0)], ids=["equal workers", "unequal workers"]
)
def test_exponential_arrivals_have_probabilities_inverse_to_the_means(mean: object) -> None:
    schedule = Asynchronous().schedule(5, 2000, Exponential(mean), KEY, torch.arange(16))
    counts = torch.bincount(schedule.arrivals.reshape(-1), minlength=5).numpy()
    rate = 1 / np.broadcast_to(np.asarray(mean), 5)
    assert stats.chisquare(counts, counts.sum() * rate / rate.sum()).pvalue > ERROR
    pairs = 5 * schedule.arrivals[:-1, :, 0] + schedule.arrivals[1:, :, 0]
    both = torch.bincount(pairs.reshape(-1), minlength=25).numpy().reshape(5, 5)
    assert stats.chi2_contingency(both).pvalue > ERROR  # an arrival does not depend on the last


def test_exponential_arrivals_are_a_poisson_process() -> None:
    n, mean = 4, 3.0
    schedule = Asynchronous().schedule(n, 4000, Exponential(mean), KEY, torch.arange(8))
    gaps = torch.diff(schedule.seconds, dim=0, prepend=torch.zeros(1, 8)).reshape(-1).numpy()
    assert stats.kstest(gaps, stats.expon(scale=mean / n).cdf).pvalue > ERROR


def test_mean_staleness_of_equal_exponential_workers() -> None:
    r"""P(staleness >= s at tick t) = (1 - 1/n)^s, s <= t: mean (n - 1)(1 - (1 - 1/n)^t)."""
    n, ticks, replicas = 8, 400, 512
    schedule = Asynchronous().schedule(n, ticks, Exponential(), KEY, torch.arange(replicas))
    per_replica = schedule.staleness[..., 0].double().mean(0).numpy()
    expected = ((n - 1) * (1 - (1 - 1 / n) ** np.arange(ticks))).mean()
    half = stats.t.isf(ERROR / 2, replicas - 1) * per_replica.std(ddof=1) / replicas**0.5
    assert half < 0.05  # resolution: 0.7% of n - 1
    assert abs(per_replica.mean() - expected) < half


def test_a_schedule_is_a_function_of_key_and_replica_alone() -> None:
    whole = Asynchronous().schedule(4, 300, Exponential(), KEY, torch.arange(8))
    assert same(whole, Asynchronous().schedule(4, 300, Exponential(), KEY, torch.arange(8)))
    some = Asynchronous().schedule(4, 300, Exponential(), KEY, torch.tensor([6, 1]))
    assert same(some, whole.for_replicas(torch.tensor([6, 1])))
    alone = Asynchronous().schedule(4, 300, Exponential(), KEY, torch.tensor(6))
    assert same(alone, whole.for_replicas(torch.tensor(6)))
    grid = Asynchronous().schedule(4, 300, Exponential(), KEY, torch.arange(8).reshape(2, 4))
    assert grid.arrivals.shape == (300, 2, 4, 1)
    assert torch.equal(grid.seconds.reshape(300, 8), whole.seconds)
    prefix = Asynchronous().schedule(4, 140, Exponential(), KEY, torch.arange(8))
    for name in ("arrivals", "seconds", "versions", "fetches", "starts"):
        assert torch.equal(getattr(prefix, name), getattr(whole, name)[:140])
    first = whole.for_replicas(torch.tensor([0]))
    assert same(first.for_all((2, 3)), whole.for_replicas(torch.zeros((2, 3), dtype=torch.int64)))
    copies = whole.for_replicas(torch.zeros((2, 3), dtype=torch.int64))
    for t in range(whole.ticks):
        ticks = first.for_all((2, 3)).tick(t), copies.tick(t)
        assert all(torch.equal(one, other) for one, other in zip(*ticks, strict=True))


def test_the_counts_of_a_tick_are_those_of_its_replicas() -> None:
    tick = Schedule.of_one_tick(3, [1], [1], [7])
    assert tick.for_replicas(torch.tensor([0, 0])).begun(0).tolist() == [[7], [7]]
    assert tick.for_all((2,)).begun(0).tolist() == [[7], [7]]


def test_replicas_and_keys_differ() -> None:
    schedule = Asynchronous().schedule(4, 100, Exponential(), KEY, torch.arange(8))
    runs = {tuple(schedule.arrivals[:, r, 0].tolist()) for r in range(8)}
    assert len(runs) == 8
    other = Asynchronous().schedule(4, 100, Exponential(), Key.seed(8), torch.arange(8))
    assert not torch.equal(schedule.arrivals, other.arrivals)


def test_names_carry_their_seconds() -> None:
    assert Constant().name == "constant(1 s)"
    assert Exponential((0.5, 2.0)).name == "exponential(0.5, 2 s)"


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (
            lambda: Asynchronous().schedule(0, 5, Constant(), KEY, ONE),
            "n must be at least 1, got n=0",
        ),
        (
            lambda: Asynchronous().schedule(2, 0, Constant(), KEY, ONE),
            "ticks must be at least 1, got ticks=0",
        ),
        (
            lambda: Asynchronous().schedule(3, 5, Exponential((1.0, 2.0)), KEY, ONE),
            "a number for every worker, got 2 for 3 workers",
        ),
        (lambda: Constant(0.0), "mean must be positive and finite .* got 0.0"),
        (lambda: Exponential((1.0, float("inf"))), r"mean\[1\] must be positive and finite"),
        (lambda: Exponential(()), "one number per worker, got none"),
    ],
)
def test_bad_arguments_are_named(build, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_a_schedule_cannot_read_the_future() -> None:
    good = Asynchronous().schedule(2, 3, Constant(), KEY, torch.arange(2))
    for bad in (-1, 2):
        wrong = good.versions.clone()
        wrong[1, 1] = bad
        with pytest.raises(ValueError, match="nobody reads the future"):
            replace(good, versions=wrong)
    with pytest.raises(ValueError, match=r"seconds must be torch.float64 of shape \(3, 2\)"):
        replace(good, seconds=good.seconds[:2])
    with pytest.raises(ValueError, match=r"versions must be torch\.int64"):
        replace(good, versions=good.versions.double())
    with pytest.raises(ValueError, match=r"arrivals must be int64 \[T, ..., k\]"):
        replace(good, arrivals=good.arrivals.double())

"""Fused steps shared by threads: the same bits and bills as by one, and as the composed path."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import fused_threads
from algorithms import threads as threads_module
from algorithms.fused_steps import fused_steps
from algorithms.key import Key
from algorithms.methods.base import World
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.simulated import Simulated
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.run import Diverged, run
from algorithms.threads import Threads
from tests.algorithms.test_fused_steps import JOBS, METHODS, assert_equal, composed
from theory.stepsizes import ConstantStep, InverseTimeStep


@contextmanager
def threads(count: int, worth: int = 0) -> Iterator[None]:
    """So many for a run, however short its steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fused_threads, "WORTH", worth)
        torch.set_num_threads(count)
        try:
            yield
        finally:
            torch.set_num_threads(1)


@pytest.mark.parametrize("made", METHODS)
@settings(max_examples=10, deadline=None)
@given(**JOBS, count=st.integers(2, 3))
def test_the_same_bits_and_bills(made, n, samples, d, batch, replicas, seed, period, dtype, count):
    problem = synthetic(n, samples, d, L2(0.01), batch=batch, dtype=dtype)
    method = made(n, InverseTimeStep(2.0, 3.0), period)
    options = {"steps": 11, "points": 4, "replicas": replicas, "seed": seed}
    with threads(count), pytest.MonkeyPatch.context() as patch:
        assert_equal(run(method, problem, **options), composed(patch, method, problem, **options))


@pytest.mark.parametrize("replicas", [1, 3])
@pytest.mark.parametrize("made", METHODS)
def test_a_run_that_diverges_says_the_same(made, replicas, monkeypatch):
    problem = synthetic(3, 5, 4, L2(10.0), batch=2, dtype=torch.float32)
    method = made(3, ConstantStep(1e6), 3)
    told = []
    for taken in (run, lambda *a, **o: composed(monkeypatch, *a, **o)):
        with threads(2), pytest.raises(Diverged) as raised:
            taken(method, problem, steps=60, points=3, replicas=replicas)
        told.append((str(raised.value), raised.value.trace))
    assert told[0][0] == told[1][0]
    assert_equal(told[0][1], told[1][1])


def test_one_replica_that_diverges_alone_stops_all_at_its_step(monkeypatch):
    """Replicas are shared out: the share that is finite goes back to the step of the other."""
    problem = synthetic(2, 3, 2, L2(2.3), batch=1, dtype=torch.float32)
    method = BSP(ConstantStep(1.0))  # x grows by a third in a step: replicas overflow steps apart
    ends, told, shared = [], [], fused_threads.by_replicas

    def watched(threads, all_steps, *more):
        def seen(*given):
            found = all_steps(*given)
            ends.append((len(given[3]), found[1]))
            return found

        return shared(threads, seen, *more)

    monkeypatch.setattr(fused_threads, "by_replicas", watched)
    for taken in (run, lambda *a, **o: composed(monkeypatch, *a, **o)):
        with threads(2), pytest.raises(Diverged) as raised:
            taken(method, problem, steps=900, points=3, replicas=8)
        told.append((str(raised.value), raised.value.trace))
    assert told[0][0] == told[1][0]
    assert_equal(told[0][1], told[1][1])
    assert len({end for replicas, end in ends[-6:] if replicas == 4}) == 2, ends[-6:]


def test_short_steps_are_taken_by_one_thread():
    key, one = Key.seed(0), torch.zeros(1, dtype=torch.int64)
    for d, count in ((50, 1), (1 << 16, 2)):
        problem = synthetic(4, 5, d, L2(0.1), batch=8)
        taken = fused_steps(BSP(ConstantStep(0.1)), World(problem, Simulated(4), key, one), 2)
        assert taken is not None and taken.threads.count == count


def test_shares_are_all_and_none_is_empty():
    for count in (1, 2, 3, 7):
        for n in range(1, 12):
            shares = Threads(count).shares(n)
            assert [i for begin, end in shares for i in range(begin, end)] == [*range(n)]
            assert len(shares) == min(count, n)
    with pytest.raises(ValueError, match="threads=0"):
        Threads(0)


def test_work_is_done_at_once_and_an_error_is_raised_when_all_have_ended():
    meeting = threading.Barrier(3, timeout=60)
    assert Threads(3).each(3, lambda a, b: (meeting.wait() >= 0, a, b)) == [
        (True, 0, 1), (True, 1, 2), (True, 2, 3),
    ]  # fmt: skip
    ended = []

    def work(first: int, end: int) -> None:
        if first == 0:
            raise ArithmeticError("mine")
        ended.append(first)

    with pytest.raises(ArithmeticError, match="mine"):
        Threads(3).each(3, work)
    assert sorted(ended) == [1, 2]


def test_a_second_run_at_once_does_its_work_by_itself():
    """Within the work of one run another asks for the threads: it waits for nobody."""
    who = threading.get_ident
    found = Threads(2).each(
        2, lambda a, b: (who(), Threads(2).each(2, lambda c, d: (who(), d - c)))
    )
    assert len({one for one, _ in found}) == 2
    for mine, nested in found:
        assert nested == [(mine, 1), (mine, 1)]


def test_a_wait_that_is_interrupted_leaves_nothing_to_the_next_run(monkeypatch):
    """Ctrl-C comes while the other thread works: what it still writes is not taken for the next
    run's, which has a thread of its own."""
    held, before = threading.Event(), threading.active_count()

    class Interrupted:
        def acquire(self) -> None:
            raise KeyboardInterrupt

    def work(first: int, end: int) -> int:
        if first == 1:
            held.wait(60)
        return first

    with monkeypatch.context() as patch:
        helper = threads_module._helpers(1, os.getpid()).all[0]
        patch.setattr(helper, "done", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            Threads(2).each(2, work)
    assert Threads(2).each(2, lambda a, b: -a) == [0, -1]
    held.set()
    assert threads_module._helpers(1, os.getpid()).all[0] is not helper
    assert threading.active_count() <= before + 2


@pytest.mark.processes
def test_a_forked_process_has_threads_of_its_own():
    assert Threads(2).each(2, lambda a, b: b - a) == [1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork amid threads: so it is
        child = os.fork()
    if child == 0:
        os._exit(0 if Threads(2).each(2, lambda a, b: b - a) == [1, 1] else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

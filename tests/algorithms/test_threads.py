"""Threads of a run: shares of work, errors, interruption, forks."""

from __future__ import annotations

import os
import threading
import warnings

import pytest

from algorithms.core import threads as threads_module
from algorithms.core.threads import Threads


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
    subset = threading.get_ident
    found = Threads(2).each(
        2, lambda a, b: (subset(), Threads(2).each(2, lambda c, d: (subset(), d - c)))
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

"""Threads of one run: the work of workers, replicas or coordinates in equal shares.

Each number is computed by one thread, in the order in which a single one would: threads change no
bit of a run. Work has to leave Python (compiled kernels do), else threads wait for one another.
By hand, since a ``ThreadPoolExecutor`` takes 1.9 times as long to hand work over and to wait for it
(34 microseconds for 18), once or twice a step.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any, final

WORTH_NUMBERS = 1 << 18
"""Numbers of an array from which sharing a pass over it pays."""


@final
class Threads:
    """This thread and ``count`` - 1 more, which wait for work.

    Raises:
        ValueError: count below 1.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"threads must be at least 1, got threads={count}")
        self.count = count

    def shares(self, n: int) -> list[tuple[int, int]]:
        """Bounds of each thread's share of 0, ..., n - 1; none is empty."""
        many = min(self.count, n)
        ends = [n * k // many for k in range(many + 1)]
        return list(pairwise(ends))

    def each(self, n: int, work: Callable[..., Any], *given: Any) -> list[Any]:
        """Results of ``work(*given, first, end)`` on the shares, in their order, all at once; one
        after another where another run has the threads."""
        mine, *others = self.shares(n)
        helpers = _helpers(len(others), os.getpid()) if others else None
        if helpers is None or not helpers.free.acquire(blocking=False):
            return [work(*given, *share) for share in (mine, *others)]
        try:
            for helper, share in zip(helpers.all, others, strict=True):
                helper.start_on(work, (*given, *share))
            try:
                first = work(*given, *mine)
            finally:  # arrays that they write to must not be left before they end
                helpers.wait()
            return [first, *(helper.result() for helper in helpers.all)]
        finally:
            helpers.free.release()


class _Helper(threading.Thread):
    """Waits for work and does it, told by two locks."""

    def __init__(self) -> None:
        super().__init__(name="rateproof", daemon=True)
        self.go, self.done = threading.Lock(), threading.Lock()
        self.go.acquire()
        self.done.acquire()
        self.work: Callable[[], Any] = int
        self.found: Any = None
        self.error: BaseException | None = None
        self.start()

    def start_on(self, work: Callable[..., Any], given: tuple[Any, ...]) -> None:
        self.work = functools.partial(work, *given)
        self.go.release()

    def run(self) -> None:
        while True:
            self.go.acquire()
            self.found, self.error = None, None
            try:
                self.found = self.work()
            except BaseException as error:
                self.error = error
            self.work = int  # nothing of a run is kept
            self.done.release()

    def result(self) -> Any:
        """Result of its work; raises what its work raised."""
        found, error = self.found, self.error
        self.found = self.error = None
        if error is not None:
            raise error
        return found


class _Helpers:
    """Threads for one run at a time."""

    def __init__(self, count: int) -> None:
        self.free = threading.Lock()
        self.all = [_Helper() for _ in range(count)]

    def wait(self) -> None:
        """Return when all have done their work; whose wait is interrupted leaves them to it, and
        who comes next has others."""
        try:
            for helper in self.all:
                helper.done.acquire()
        except BaseException:
            _helpers.cache_clear()
            raise


@functools.lru_cache(maxsize=4)
def _helpers(count: int, process: int) -> _Helpers:
    """Started once in a process; a forked one has none of its parent's."""
    return _Helpers(count)

"""Threads of one run: the work of workers, replicas or coordinates in equal shares.

Each number is computed by one thread, in the order in which a single one would: threads change no
bit of a run. Work has to leave Python (compiled kernels do), else threads wait for one another.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, final


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
        """Where each thread's share of 0, ..., n - 1 begins and ends; none is empty."""
        many = min(self.count, n)
        ends = [n * k // many for k in range(many + 1)]
        return list(pairwise(ends))

    def each(self, n: int, work: Callable[..., Any], *given: Any) -> list[Any]:
        """What ``work(*given, first, end)`` gives of each share, in their order, all at once."""
        mine, *others = self.shares(n)
        if not others:
            return [work(*given, *mine)]
        pool = _pool(len(others), os.getpid())
        running = [pool.submit(work, *given, *share) for share in others]
        try:
            first = work(*given, *mine)
        finally:
            for one in running:  # arrays that they write to must not be left before they end
                one.exception()
        return [first, *(one.result() for one in running)]


@functools.lru_cache(maxsize=4)
def _pool(count: int, process: int) -> ThreadPoolExecutor:
    """Threads are started once in a process; a forked one has none of its parent's."""
    return ThreadPoolExecutor(count, thread_name_prefix="rateproof")

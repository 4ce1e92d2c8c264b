"""Loops without a common clock: a queue of who finishes its gradient next."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from benchmarks.programs.loops.objectives import Array, Numbers, Objective

LEAST, REST, LATENCY, BIT = 5e-4, 5e-4, 5e-5, 1e-9
"""Least time of a gradient and mean of its exponential rest; latency of a message and time of a
bit [s]."""

Wait = Callable[[int], float]
"""From a worker to the seconds of its next gradient, its push and its fetch."""


def _waits(o: Objective, rng: Numbers) -> Wait:
    link = 2 * (LATENCY + BIT * 8 * o.start.nbytes)
    return lambda worker: LEAST + rng.exponential(REST) + link


def asp(o: Objective, steps: int, rng: Numbers, wait: Wait | None = None) -> Array:
    """A server that applies each gradient as it arrives, and gives that worker the newest model."""
    wait, x = wait or _waits(o, rng), o.start.copy()
    read = [x.copy() for _ in range(o.n)]
    queue = [(wait(i), i) for i in range(o.n)]
    heapq.heapify(queue)
    for _ in range(steps):
        now, i = heapq.heappop(queue)
        x -= o.gamma * o.gradient(i, read[i], rng)
        read[i] = x.copy()
        heapq.heappush(queue, (now + wait(i), i))
    return x


def ad_psgd(
    o: Objective, steps: int, rng: Numbers, wait: Wait | None = None,
    partner: Callable[[int], int] | None = None,
) -> Array:  # fmt: skip
    """Who finishes takes the mean with a random neighbour on the ring, then its stale gradient."""
    wait, x = wait or _waits(o, rng), np.tile(o.start, (o.n, 1))
    partner = partner or (lambda i: (i + (1 if rng.random() < 0.5 else -1)) % o.n)
    read = x.copy()
    queue = [(wait(i), i) for i in range(o.n)]
    heapq.heapify(queue)
    for _ in range(steps):
        now, i = heapq.heappop(queue)
        g, j = o.gradient(i, read[i], rng), partner(i)
        x[i] = x[j] = (x[i] + x[j]) / 2
        x[i] -= o.gamma * g
        read[i] = x[i]
        heapq.heappush(queue, (now + wait(i), i))
    mean: Array = x.mean(axis=0)
    return mean

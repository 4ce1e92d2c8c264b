"""Loops in which workers hear their neighbours, all in step."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.programs.loops.objectives import Array, Numbers, Objective
from benchmarks.programs.loops.server import top_k
from benchmarks.programs.numpy_loop import ring

CHOCO_SHARE, CONSENSUS = 0.25, 0.01


def d_psgd(o: Objective, steps: int, rng: Numbers) -> Array:
    """Means over a ring, then each worker's gradient at the model that it had."""
    x = np.tile(o.start, (o.n, 1))
    for _ in range(steps):
        g = [o.gradient(i, x[i], rng) for i in range(o.n)]
        x = ring(x)
        for i in range(o.n):
            x[i] -= o.gamma * g[i]
    mean: Array = x.mean(axis=0)
    return mean


def choco(o: Objective, steps: int, rng: Numbers, consensus: float = CONSENSUS) -> Array:
    """A quarter of the difference to public copies goes round the ring."""
    x = np.tile(o.start, (o.n, 1))
    public = np.zeros_like(x)
    for _ in range(steps):
        for i in range(o.n):
            x[i] -= o.gamma * o.gradient(i, x[i], rng)
            public[i] += top_k(x[i] - public[i], CHOCO_SHARE)
        x += consensus * (ring(public) - public)
    mean: Array = x.mean(axis=0)
    return mean


def sgp(o: Objective, steps: int, rng: Numbers) -> Array:
    """Gradient push on the exponential graph, even workers sending twice as far too."""
    x, weight = np.tile(o.start, (o.n, 1)), np.ones(o.n, o.start.dtype)
    hops = [2**k for k in range(max(1, math.ceil(math.log2(o.n))))]
    for t in range(steps):
        moved, heavier = np.zeros_like(x), np.zeros_like(weight)
        for i in range(o.n):
            pushed = x[i] - o.gamma * o.gradient(i, x[i] / weight[i], rng)
            hop = hops[t % len(hops)]
            to = {i, (i + hop) % o.n, *([(i + 2 * hop) % o.n] if i % 2 == 0 else [])}
            for j in to:
                moved[j] += pushed / len(to)
                heavier[j] += weight[i] / len(to)
        x, weight = moved, heavier
    mean: Array = (x / weight[:, None]).mean(axis=0)
    return mean


def d_admm(o: Objective, steps: int, rng: Numbers) -> Array:
    """ADMM on a ring: even workers solve, then odd ones with what they just heard."""
    x, dual, rho = np.tile(o.start, (o.n, 1)), np.zeros((o.n, o.d), o.start.dtype), 1 / o.gamma
    around = [sorted({(i - 1) % o.n, (i + 1) % o.n} - {i}) for i in range(o.n)]
    for _ in range(steps):
        for colour in (0, 1):
            for i in range(colour, o.n, 2):
                incoming = sum(x[j] for j in around[i])
                weight = rho * len(around[i])
                v = (rho * incoming - dual[i]) / weight
                x[i] = o.proximal(i, v, weight, x[i])
        for i in range(o.n):
            dual[i] += rho * sum(x[i] - x[j] for j in around[i])
    mean: Array = x.mean(axis=0)
    return mean

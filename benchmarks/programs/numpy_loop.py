"""What one writes first: a plain numpy loop over workers, and what each does with its gradient."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.jobs import BATCH, CONSENSUS, GAMMA, KEPT, LAM, LEVELS, PERIOD

Array = NDArray[Any]


def gradient(a: Array, y: Array, x: Array, rng: np.random.Generator) -> Array:
    """Minibatch gradient ``[d]`` of one worker's shard a ``[S, d]``, y ``[S]``."""
    rows = rng.integers(len(a), size=BATCH)
    chosen, label = a[rows], y[rows]
    pull = -label / (1 + np.exp(label * (chosen @ x)))
    g: Array = (pull @ chosen) / x.dtype.type(BATCH) + x.dtype.type(LAM) * x
    return g


def qsgd(g: Array, rng: np.random.Generator) -> Array:
    """QSGD of one row ``[d]``."""
    norm = np.linalg.norm(g)
    scaled = np.abs(g) * (LEVELS / norm)
    low = np.floor(scaled)
    low += rng.random(len(g), dtype=g.dtype) < scaled - low
    message: Array = np.sign(g) * low * (norm / g.dtype.type(LEVELS))
    return message


def top_k(g: Array) -> Array:
    """The largest magnitudes of one row ``[d]``."""
    k = max(1, int(KEPT * len(g)))
    keep = np.argpartition(np.abs(g), -k)[-k:]
    sparse = np.zeros_like(g)
    sparse[keep] = g[keep]
    return sparse


def ring(x: Array) -> Array:
    """Means ``[n, d]`` of each row and its two neighbours."""
    n, third = len(x), x.dtype.type(1 / 3)
    return np.array([third * (x[i - 1] + x[i] + x[(i + 1) % n]) for i in range(n)])


def seconds(method: str, a: Array, y: Array, steps: int) -> float:
    """Time [s] of ``steps`` steps of one method, features ``[n, S, d]``, labels ``[n, S]``."""
    n, _, d = a.shape
    rng = np.random.default_rng(0)
    x, memory, public = (np.zeros((n, d), dtype=a.dtype) for _ in range(3))
    step = a.dtype.type(GAMMA)
    start = time.perf_counter()
    for t in range(steps):
        g = [gradient(a[i], y[i], x[i], rng) for i in range(n)]
        if method == "BSP":
            x[:] = x[0] - step * np.mean(g, axis=0)
        elif method == "QSGD":
            x[:] = x[0] - step * np.mean([qsgd(row, rng) for row in g], axis=0)
        elif method == "top-1%":
            wanted = [memory[i] + step * g[i] for i in range(n)]
            sent = [top_k(row) for row in wanted]
            for i in range(n):
                np.subtract(wanted[i], sent[i], out=memory[i])
            x[:] = x[0] - np.mean(sent, axis=0)
        elif method == "D-PSGD":
            x = ring(x)
            for i in range(n):
                x[i] -= step * g[i]
        elif method == "CHOCO top-1%":
            for i in range(n):
                x[i] -= step * g[i]
                public[i] += top_k(x[i] - public[i])
            x += x.dtype.type(CONSENSUS) * (ring(public) - public)
        else:
            for i in range(n):
                x[i] -= step * g[i]
            if (t + 1) % PERIOD == 0:
                x[:] = x.mean(axis=0)
    return time.perf_counter() - start

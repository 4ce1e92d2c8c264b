"""Loops in which workers send to a server and hear a model from it, all in step."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.programs.loops.objectives import Array, Numbers, Objective
from benchmarks.programs.numpy_loop import qsgd as quantised

SHARE, BUCKET, MOMENTUM, PERIOD, PULL, LARGER, WINDOW, LAZY = 0.1, 10, 0.9, 8, 0.9, 8, 10, 0.08
"""Share that top-k keeps; numbers of DIANA's buckets; heavy-ball factor; steps between meetings;
pull of an elastic centre; usual batches in a large one; moves that LAG remembers, and the weight of
each."""


def top_k(x: Array, share: float) -> Array:
    """The ceil(share d) largest magnitudes of x ``[d]``, zeros elsewhere."""
    k = math.ceil(share * len(x))
    keep = np.argpartition(np.abs(x), -k)[-k:]
    sparse = np.zeros_like(x)
    sparse[keep] = x[keep]
    return sparse


def bsp(o: Objective, steps: int, rng: Numbers) -> Array:
    """Plain synchronous SGD."""
    x = o.start.copy()
    for _ in range(steps):
        g = [o.gradient(i, x, rng) for i in range(o.n)]
        x -= o.gamma * np.mean(g, axis=0)
    return x


def large_batch(o: Objective, steps: int, rng: Numbers) -> Array:
    """Eight times the batch at the stepsize times the root of eight."""
    x = o.start.copy()
    for _ in range(steps):
        g = [o.gradient(i, x, rng, LARGER) for i in range(o.n)]
        x -= o.gamma * LARGER**0.5 * np.mean(g, axis=0)
    return x


def qsgd(o: Objective, steps: int, rng: Numbers) -> Array:
    """Gradients rounded at random to a few levels."""
    x = o.start.copy()
    for _ in range(steps):
        sent = [quantised(o.gradient(i, x, rng), rng) for i in range(o.n)]
        x -= o.gamma * np.mean(sent, axis=0)
    return x


def top_k_feedback(o: Objective, steps: int, rng: Numbers) -> Array:
    """The largest tenth of each step, the rest remembered."""
    x, memory = o.start.copy(), np.zeros((o.n, o.d), o.start.dtype)
    for _ in range(steps):
        total = np.zeros_like(x)
        for i in range(o.n):
            wanted = memory[i] + o.gamma * o.gradient(i, x, rng)
            sent = top_k(wanted, SHARE)
            memory[i] = wanted - sent
            total += sent
        x -= total / o.n
    return x


def momentum_correction(o: Objective, steps: int, rng: Numbers) -> Array:
    """Deep gradient compression's memory: velocities pile up, and the largest tenth is sent."""
    x, velocity, memory = o.start.copy(), *np.zeros((2, o.n, o.d), o.start.dtype)
    for _ in range(steps):
        total = np.zeros_like(x)
        for i in range(o.n):
            velocity[i] = MOMENTUM * velocity[i] + o.gamma * o.gradient(i, x, rng)
            memory[i] += velocity[i]
            sent = top_k(memory[i], SHARE)
            memory[i] -= sent
            total += sent
        x -= total / o.n
    return x


def sign_majority(o: Objective, steps: int, rng: Numbers) -> Array:
    """One bit a coordinate each way: the majority of the workers' signs; a tie is positive."""
    x = o.start.copy()
    for _ in range(steps):
        votes = [np.where(o.gradient(i, x, rng) >= 0, 1, -1) for i in range(o.n)]
        x -= np.where(np.sum(votes, axis=0) >= 0, o.gamma, -o.gamma).astype(x.dtype)
    return x


def _ternary(x: Array, rng: Numbers) -> Array:
    """In buckets of ten: sign times the largest magnitude, or 0, without bias."""
    padded = np.append(x, np.zeros(-len(x) % BUCKET, x.dtype)).reshape(-1, BUCKET)
    size = np.abs(padded)
    scale = size.max(axis=1, keepdims=True)
    kept = rng.random(padded.shape, dtype=x.dtype) * scale < size
    return np.where(kept, np.sign(padded) * scale, 0).reshape(-1)[: len(x)]


def diana(o: Objective, steps: int, rng: Numbers) -> Array:
    """Quantised differences to shifts that learn each worker's gradient."""
    x, shift, shifts = o.start.copy(), np.zeros_like(o.start), np.zeros((o.n, o.d), o.start.dtype)
    alpha = 2 / (1 + min(BUCKET, o.d) ** 0.5)  # 1 / (1 + omega)
    for _ in range(steps):
        sent = [_ternary(o.gradient(i, x, rng) - shifts[i], rng) for i in range(o.n)]
        mean = np.mean(sent, axis=0)
        x -= o.gamma * (shift + mean)
        shift += alpha * mean
        for i in range(o.n):
            shifts[i] += alpha * sent[i]
    return x


def local_sgd(o: Objective, steps: int, rng: Numbers) -> Array:
    """Models are averaged after every eighth step."""
    x = np.tile(o.start, (o.n, 1))
    for t in range(steps):
        for i in range(o.n):
            x[i] -= o.gamma * o.gradient(i, x[i], rng)
        if (t + 1) % PERIOD == 0:
            x[:] = x.mean(axis=0)
    mean: Array = x.mean(axis=0)
    return mean


def easgd(o: Objective, steps: int, rng: Numbers) -> Array:
    """Workers and a centre pull at each other in every eighth step."""
    x, centre, alpha = np.tile(o.start, (o.n, 1)), o.start.copy(), PULL / o.n
    for t in range(steps):
        moves = [o.gamma * o.gradient(i, x[i], rng) for i in range(o.n)]
        if t % PERIOD == 0:
            apart = x - centre
            x -= alpha * apart
            centre += PULL * apart.mean(axis=0)
        for i in range(o.n):
            x[i] -= moves[i]
    return centre


def lag(o: Objective, steps: int, rng: Numbers) -> Array:
    """Full gradients; who has little news stays silent."""
    x, mean, stored = o.start.copy(), np.zeros_like(o.start), np.zeros((o.n, o.d), o.start.dtype)
    moves = np.zeros(WINDOW)
    for t in range(steps):
        allowed = LAZY * moves.sum() / o.gamma**2
        for i in range(o.n):
            news = o.full_gradient(i, x) - stored[i]
            if t == 0 or news @ news > allowed:
                stored[i] += news
                mean += news / o.n
        move = o.gamma * mean
        x -= move
        moves[t % WINDOW] = move @ move
    return x


def powersgd(o: Objective, steps: int, rng: Numbers, first: list[Array] | None = None) -> Array:
    """Rank one: a step of subspace iteration for each matrix, with error feedback; other tensors as
    they are. ``first`` are the right factors to start from, drawn if not given."""
    x, memory = o.start.copy(), np.zeros((o.n, o.d), o.start.dtype)
    places = _matrices(o)
    q = first or [rng.standard_normal(columns).astype(x.dtype) for _, _, columns in places]
    for _ in range(steps):
        wanted = [memory[i] + o.gamma * o.gradient(i, x, rng) for i in range(o.n)]
        own, step = np.array(wanted), np.mean(wanted, axis=0)
        for k, (place, rows, columns) in enumerate(places):
            blank = np.zeros(rows * columns - (place.stop - place.start), x.dtype)
            m = [np.append(row[place], blank).reshape(rows, columns) for row in wanted]
            p = np.mean([one @ q[k] for one in m], axis=0)
            p /= np.linalg.norm(p) or 1.0
            right = [one.T @ p for one in m]
            q[k] = np.mean(right, axis=0)
            size = place.stop - place.start
            step[place] = np.outer(p, q[k]).reshape(-1)[:size]
            for i in range(o.n):
                own[i, place] = np.outer(p, right[i]).reshape(-1)[:size]
        for i in range(o.n):
            memory[i] = wanted[i] - own[i]
        x -= step
    return x


def _matrices(o: Objective) -> list[tuple[slice, int, int]]:
    """Where the matrices lie in x, with their rows and columns; one flat tensor is near-square."""
    if len(o.shapes) == 1:
        rows = math.isqrt(o.d)
        return [(slice(0, o.d), rows, -(-o.d // rows))]
    found, start = [], 0
    for shape in o.shapes:
        size = math.prod(shape)
        if len(shape) > 1 and shape[0] + size // shape[0] < size:
            found.append((slice(start, start + size), shape[0], size // shape[0]))
        start += size
    return found

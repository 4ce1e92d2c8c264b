"""Local steps with meetings: workers descend by themselves, then all go on from the same model.

What workers do between two meetings and the meeting are functions of their own: one loop calls both
for all workers, several threads call the first for shares of workers.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.server_steps import add_rows, scale

MOVE, SEND, MEMORY, INCREMENTS, OUTER, AVERAGED, VARY = range(7)
"""Places of a composition's flags: which parts it has; whether workers send what changed, whether
velocities are averaged, whether messages vary in length."""


@njit(cache=True, nogil=True)
def workers_alone(  # type: ignore[no-untyped-def]
    gradient, gnum, move, onum, flags, x, velocity, gammas, gwords, replicas, together, start, stop,
    first, end,
):  # fmt: skip
    """Steps start, ..., stop - 1 of workers first, ..., end - 1, each by itself, all replicas of a
    worker in turn while its data are in cache; models x ``[R, n, d]``. False: a gradient is not
    finite."""
    d = x.shape[2]
    g, moved = np.empty((together, d), x.dtype), np.empty((together, d), x.dtype)
    for w in range(first, end, together):
        k = min(together, end - w)
        for r in range(x.shape[0]):
            own, step, room = x[r, w : w + k], g[:k], moved[:k]
            for t in range(start, stop):
                gradient(gnum, own, gwords[t, 0], gwords[t, 1], replicas[r], w, step)
                if not all_finite(step):
                    return False
                scale(step, gammas[t])
                if flags[MOVE]:
                    move(onum, velocity[r, w : w + k], step, own, gammas[t], room)
                    step[:] = room
                for i in range(k):
                    for j in range(d):
                        own[i, j] = own[i, j] - step[i, j]
    return True


@njit(cache=True, nogil=True)
def meeting(  # type: ignore[no-untyped-def]
    before, after, mnum, send, snum, outer, unum, flags, x, velocity, memory, anchor, block, gamma,
    first, cwords, replicas, bits,
):  # fmt: skip
    """All workers go on from what the server makes of their mean; ``anchor`` ``[R, 1, d]`` is where
    they began. False: a message is refused."""
    n, d = x.shape[1], x.shape[2]
    made, wanted = np.empty((n, d), x.dtype), np.empty((n, d), x.dtype)
    sent, mean, new = np.empty((n, d), x.dtype), np.empty((1, d), x.dtype), anchor[0].copy()
    for r in range(x.shape[0]):
        own = x[r]
        mean[:] = 0
        if flags[INCREMENTS]:
            for i in range(n):
                for j in range(d):
                    made[i, j] = anchor[r, 0, j] - own[i, j]
            before(mnum, memory[r], made, wanted)
            if not send(
                snum, wanted, made, cwords[0], cwords[1], replicas[r], 0, first, sent, bits[r]
            ):
                return False
            add_rows(sent, mean[0], 0, d)
        else:
            add_rows(own, mean[0], 0, d)
        for j in range(d):
            mean[0, j] /= n
        if flags[INCREMENTS]:
            after(mnum, memory[r], made, wanted, sent, mean)
            for j in range(d):
                mean[0, j] = anchor[r, 0, j] - mean[0, j]
        if flags[OUTER]:
            outer(unum, block[r], mean, anchor[r], gamma, new)
            anchor[r] = new
        else:
            anchor[r] = mean
        for i in range(n):
            own[i] = anchor[r, 0]
        if flags[AVERAGED]:
            average_velocities(velocity[r], mean)
    return True


@njit(cache=True, nogil=True)
def average_velocities(velocity, mean):  # type: ignore[no-untyped-def]
    """Every worker goes on with the mean of velocities ``[n, L, d]``; mean ``[1, d]`` is room."""
    n, d = velocity.shape[0], velocity.shape[2]
    for leaf in range(velocity.shape[1]):
        mean[:] = 0
        for i in range(n):
            for j in range(d):
                mean[0, j] += velocity[i, leaf, j]
        for i in range(n):
            for j in range(d):
                velocity[i, leaf, j] = mean[0, j] / n


@njit(cache=True, nogil=True)
def _local_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, move, onum, before, after, mnum, send, snum, outer, unum, flags, x, velocity,
    memory, anchor, block, gammas, first, gwords, cwords, replicas, together, meets, bits,
):  # fmt: skip
    start, steps = 0, gammas.shape[0]
    while start < steps:
        stop = start + 1
        while stop < steps and not meets[stop - 1]:
            stop += 1
        if not workers_alone(
            gradient, gnum, move, onum, flags, x, velocity, gammas, gwords, replicas, together,
            start, stop, 0, x.shape[1],
        ):  # fmt: skip
            return start
        at = stop - 1
        if meets[at] and not meeting(
            before, after, mnum, send, snum, outer, unum, flags, x, velocity, memory, anchor, block,
            gammas[at], first + at, cwords[at], replicas, bits[at] if flags[VARY] else bits[0],
        ):  # fmt: skip
            return start
        start = stop
    return steps


_ALONE = ("gradient", "numbers", "move", "numbers")
_MEETING = ("before", "after", "numbers", "operator", "numbers", "move", "numbers")

LOCAL_LOOP = Loop(
    _local_loop, "word", *_ALONE, *_MEETING, "flags", "rows3", "rows4", "rows4", "rows3", "rows4",
    "rows1", "word", "whole2", "whole2", "whole", "word", "flags", "whole3",
)  # fmt: skip
"""Steps by one thread, period after period: how many were taken before something was refused, in
whole periods."""

WORKERS_ALONE = Loop(
    workers_alone, "flag", *_ALONE, "flags", "rows3", "rows4", "rows1", "whole2", "whole", "word",
    "word", "word", "word", "word",
)  # fmt: skip
"""The share of some workers between two meetings."""

MEETING = Loop(
    meeting, "flag", *_MEETING, "flags", "rows3", "rows4", "rows4", "rows3", "rows4", "real",
    "word", "whole", "whole", "whole2",
)  # fmt: skip
"""A meeting, by one thread."""

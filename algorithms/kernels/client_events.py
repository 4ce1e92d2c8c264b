"""Ticks of a schedule at which one worker has made a gradient, which the server need not see:
shared memory, Downpour and elastic averaging, each a loop of its own over replicas and ticks.

The ticks that were done end before one at which not just one worker arrives, or whose numbers the
composed path looks at.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.event_steps import BITS_UP, MESSAGES_UP, hear, upload
from algorithms.kernels.philox import uniform_row
from algorithms.kernels.row_parts import Loop, all_finite


@njit(cache=True, nogil=True)
def ticks_ahead(arrivals, gammas, first):  # type: ignore[no-untyped-def]
    """Number of the ticks that a schedule ``[R, T, k]`` has; 0 where several arrive at one."""
    return max(0, min(gammas.shape[0], arrivals.shape[1] - first)) if arrivals.shape[2] == 1 else 0


@njit(cache=True, nogil=True)
def mixture(versions, begun, t, spread, words, replica, worker, u, read):  # type: ignore[no-untyped-def]
    """A model read coordinate by coordinate at versions from ``begun`` on, into read ``[d]``."""
    uniform_row(words[0], words[1], replica, worker, u)
    choices = np.int64(math.floor(np.float32(spread) * np.float32(t - begun))) + 1
    for j in range(read.shape[0]):
        read[j] = versions[(begun + np.int64(math.floor(u[j] * choices))) % versions.shape[0], j]


@njit(cache=True, nogil=True)
def _shared(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, sends, lengths, spread, versions, newest, traffic, arrivals, begun,
    gammas, first, gwords, cwords, rwords, replica,
):  # fmt: skip
    depth, d = versions.shape
    room = np.empty((3, 1, d), versions.dtype)
    g, sent, read = room[0], room[1], room[2]
    u, zero = np.empty(d), versions.dtype.type(0)
    for i in range(gammas.shape[0]):
        t, w = first + i, arrivals[first + i, 0]
        if w == traffic.shape[1]:
            return i
        mixture(versions, begun[t, 0], t, spread, rwords[i], replica, w, u, read[0])
        hear(traffic, w, lengths[1])
        gradient(gnum, read, gwords[i, 0], gwords[i, 1], replica, w, g)
        if not upload(send, snum, sends, g, cwords[i], replica, w, t, sent, lengths[0], traffic):
            return i
        for j in range(d):
            step = gammas[i] * (zero + sent[0, j])
            versions[(t + 1) % depth, j] = versions[t % depth, j] - step
        newest[0] = (t + 1) % depth
    return gammas.shape[0]


@njit(cache=True, nogil=True)
def _shared_events(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, sends, lengths, spread, versions, newest, traffic, arrivals, begun,
    gammas, first, gwords, cwords, rwords, replicas,
):  # fmt: skip
    done = ticks_ahead(arrivals, gammas, first)
    for r in range(versions.shape[0]):
        done = _shared(
            gradient, gnum, send, snum, sends, lengths, spread[0], versions[r],
            newest[r : r + 1], traffic[r], arrivals[r], begun[r], gammas[:done], first,
            gwords, cwords, rwords, replicas[r],
        )  # fmt: skip
    return done


@njit(cache=True, nogil=True)
def _downpour(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, move, onum, flags, lengths, periods, x, local, accrued, made,
    velocity, traffic, arrivals, gammas, first, gwords, cwords, replica,
):  # fmt: skip
    d = x.shape[1]
    room, unpaid, zero = np.empty((3, 1, d), x.dtype), np.zeros_like(traffic), x.dtype.type(0)
    g, sent, step = room[0], room[1], room[2]
    for i in range(gammas.shape[0]):
        w, gamma = arrivals[first + i, 0], gammas[i]
        if w == traffic.shape[1]:
            return i
        gradient(gnum, local[w : w + 1], gwords[i, 0], gwords[i, 1], replica, w, g)
        for j in range(d):
            accrued[w, j] = accrued[w, j] + g[0, j]
        if not (all_finite(g) and all_finite(accrued[w : w + 1])):
            return i
        made[w] += 1
        pushes = made[w] % periods[0] == periods[2]
        if (pushes or flags[0]) and not upload(  # encoded in either case
            send, snum, flags[0], accrued[w : w + 1], cwords[i], replica, w, first + i, sent,
            lengths[0], traffic if pushes else unpaid,
        ):  # fmt: skip
            return i
        if not pushes:
            sent[:] = 0
        for j in range(d):
            step[0, j] = gamma * (zero + sent[0, j])
        if flags[1]:
            move(onum, velocity, step, x, gamma, sent)
            step[:] = sent
        for j in range(d):
            x[0, j] = x[0, j] - step[0, j]
            local[w, j] = local[w, j] - gamma * g[0, j]
        if made[w] % periods[1] == 0:
            local[w] = x[0]
            hear(traffic, w, lengths[1])
        if pushes:
            accrued[w] = 0
    return gammas.shape[0]


@njit(cache=True, nogil=True)
def _downpour_events(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, move, onum, flags, lengths, periods, x, local, accrued, made,
    velocity, traffic, arrivals, gammas, first, gwords, cwords, replicas,
):  # fmt: skip
    done = ticks_ahead(arrivals, gammas, first)
    for r in range(x.shape[0]):
        done = _downpour(
            gradient, gnum, send, snum, move, onum, flags, lengths, periods, x[r : r + 1], local[r],
            accrued[r], made[r], velocity[r], traffic[r], arrivals[r], gammas[:done], first, gwords,
            cwords, replicas[r],
        )  # fmt: skip
    return done


@njit(cache=True, nogil=True)
def _elastic(  # type: ignore[no-untyped-def]
    gradient, gnum, length, period, alpha, delta, centre, local, velocity, made, traffic, arrivals,
    gammas, first, gwords, replica,
):  # fmt: skip
    d, zero = local.shape[1], local.dtype.type(0)
    g, point = np.empty((1, d), local.dtype), np.empty((1, d), local.dtype)
    for i in range(gammas.shape[0]):
        w, gamma = arrivals[first + i, 0], gammas[i]
        if w == traffic.shape[1]:
            return i
        x, v = local[w], velocity[w]
        for j in range(d):
            point[0, j] = x[j] + delta * v[j]
        gradient(gnum, point, gwords[i, 0], gwords[i, 1], replica, w, g)
        if not all_finite(g):
            return i
        meets = made[w] % period == 0
        made[w] += 1
        if meets:
            traffic[MESSAGES_UP, w] += 1
            traffic[BITS_UP, w] += length
            hear(traffic, w, length)
        for j in range(d):
            v[j] = delta * v[j] - gamma * g[0, j]
            pull, pulled = zero, x[j]
            if meets:
                pull, pulled = alpha * (x[j] - centre[j]), x[j] - alpha * (x[j] - centre[j])
            centre[j] = centre[j] + (zero + pull)
            x[j] = pulled + v[j]
    return gammas.shape[0]


@njit(cache=True, nogil=True)
def _elastic_events(  # type: ignore[no-untyped-def]
    gradient, gnum, length, period, pulls, centre, local, velocity, made, traffic, arrivals, gammas,
    first, gwords, replicas,
):  # fmt: skip
    done = ticks_ahead(arrivals, gammas, first)
    for r in range(centre.shape[0]):
        done = _elastic(
            gradient, gnum, length, period, pulls[0], pulls[1], centre[r], local[r], velocity[r],
            made[r], traffic[r], arrivals[r], gammas[:done], first, gwords, replicas[r],
        )  # fmt: skip
    return done


_STEPS = ("rows1", "word", "whole2")

SHARED_EVENTS = Loop(
    _shared_events, "word", "gradient", "numbers", "operator", "numbers", "flag", "whole",
    "doubles", "rows3", "whole", "whole3", "whole3", "whole3", *_STEPS, "whole2", "whole2", "whole",
)  # fmt: skip
DOWNPOUR_EVENTS = Loop(
    _downpour_events, "word", "gradient", "numbers", "operator", "numbers", "move", "numbers",
    "flags", "whole", "whole", "rows2", "rows3", "rows3", "whole2", "rows4", "whole3", "whole3",
    *_STEPS, "whole2", "whole",
)  # fmt: skip
ELASTIC_EVENTS = Loop(
    _elastic_events, "word", "gradient", "numbers", "word", "word", "rows1", "rows2", "rows3",
    "rows3", "whole2", "whole3", "whole3", *_STEPS, "whole",
)  # fmt: skip

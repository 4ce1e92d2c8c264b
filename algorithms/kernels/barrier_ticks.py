"""Schedules drawn tick by tick: what barriers decide in one replica, and the loop over ticks.

A barrier's function (kind "tick" of ``row_parts``) takes the time, the number of updates so far and
where the workers stand, arrays ``[n]`` as ``WorkerStates`` has them; it says when the next tick
happens and sets who arrived, who fetches and who starts, all of which are nobody at first.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_parts import Loop

ARRIVALS, FETCHES, STARTS, NUMBERS = range(4)
"""Places of what a drawing wants room for: ids of three kinds in a tick, and gradients."""


@njit(cache=True, nogil=True)
def _latest(now, finish, mask):  # type: ignore[no-untyped-def]
    """Arrival time of the last worker in a mask, not before now."""
    latest = now
    for i in range(finish.shape[0]):
        if mask[i]:
            latest = max(latest, finish[i])
    return latest


@njit(cache=True, nogil=True)
def _first(finish, count, mask):  # type: ignore[no-untyped-def]
    """Add the workers that arrive first to a mask; ties go to the lowest ids."""
    if count == 1:
        mask[np.argmin(finish)] = True
        return
    order = np.argsort(finish, kind="mergesort")
    for place in range(count):
        mask[order[place]] = True


@njit(cache=True, nogil=True)
def bulk(num, now, updates, finish, idle, clock, version, stamp, arrived, fetched, started):  # type: ignore[no-untyped-def]
    """Every worker waits for all others."""
    arrived[:], fetched[:], started[:] = True, True, True
    return _latest(now, finish, arrived)


@njit(cache=True, nogil=True)
def backups(num, now, updates, finish, idle, clock, version, stamp, arrived, fetched, started):  # type: ignore[no-untyped-def]
    """The first n - b count, all start afresh; b."""
    _first(finish, finish.shape[0] - num[3][0], arrived)
    fetched[:], started[:] = True, True
    return _latest(now, finish, arrived)


@njit(cache=True, nogil=True)
def deadline(num, now, updates, finish, idle, clock, version, stamp, arrived, fetched, started):  # type: ignore[no-untyped-def]
    """Whoever arrives in time counts, or else the first; all start afresh; seconds."""
    end, some, every = now + num[4][0], False, True
    fetched[:], started[:] = True, True
    for i in range(finish.shape[0]):
        arrived[i] = finish[i] <= end
        some |= arrived[i]
        every &= arrived[i]
    if some and not every:
        return end
    if not some:
        _first(finish, 1, arrived)
    return _latest(now, finish, arrived)


@njit(cache=True, nogil=True)
def asynchronous(num, now, updates, finish, idle, clock, version, stamp, arrived, fetched, started):  # type: ignore[no-untyped-def]
    """The first to arrive goes on at once."""
    subset = np.argmin(finish)
    arrived[subset], fetched[subset], started[subset] = True, True, True
    return max(now, finish[subset])


@njit(cache=True, nogil=True)
def round_robin(num, now, updates, finish, idle, clock, version, stamp, arrived, fetched, started):  # type: ignore[no-untyped-def]
    """Workers in turn, a slot apart at least; its seconds."""
    subset = clock.sum() % clock.shape[0]
    arrived[subset], fetched[subset], started[subset] = True, True, True
    return max(max(now, finish[subset]), now + num[4][0])


@njit(cache=True, nogil=True)
def partial(num, now, updates, finish, idle, clock, version, stamp, arrived, fetched, started):  # type: ignore[no-untyped-def]
    """Until enough arrived, and all that are old; the least number, and the age."""
    _first(finish, num[3][0], arrived)
    for i in range(finish.shape[0]):
        arrived[i] |= updates - version[i] >= num[3][1] - 1
    moment = _latest(now, finish, arrived)
    for i in range(finish.shape[0]):
        arrived[i] = finish[i] <= moment
    fetched[:], started[:] = arrived, arrived
    return moment


@njit(cache=True, nogil=True)
def window(num, now, updates, finish, idle, clock, version, stamp, arrived, fetched, started):  # type: ignore[no-untyped-def]
    """Whoever arrives while the tick lasts; its seconds."""
    end = max(finish.min(), now) + num[4][0]
    for i in range(finish.shape[0]):
        arrived[i] = finish[i] <= end and np.isfinite(finish[i])
    fetched[:], started[:] = arrived, arrived
    return end


@njit(cache=True, nogil=True)
def _until_a_start(s, now, finish, idle, clock, arrived, started):  # type: ignore[no-untyped-def]
    """Arrivals one after another until somebody may start; when that is."""
    left, moment, some = finish.copy(), now, False
    while not some:
        subset = np.argmin(left)
        moment = max(moment, left[subset])
        if not np.isfinite(moment):
            return moment
        arrived[subset], left[subset] = True, np.inf
        slowest = (clock + arrived).min()
        for i in range(clock.shape[0]):
            if (idle[i] or arrived[i]) and clock[i] + arrived[i] - slowest <= s:
                started[i], some = True, True
    return moment


@njit(cache=True, nogil=True)
def stale(num, now, updates, finish, idle, clock, version, stamp, arrived, fetched, started):  # type: ignore[no-untyped-def]
    """Fetches by starting workers with too old a model; s."""
    moment = _until_a_start(num[3][0], now, finish, idle, clock, arrived, started)
    for i in range(clock.shape[0]):
        fetched[i] = started[i] and stamp[i] < clock[i] + arrived[i] - num[3][0]
    return moment


@njit(cache=True, nogil=True)
def eager(num, now, updates, finish, idle, clock, version, stamp, arrived, fetched, started):  # type: ignore[no-untyped-def]
    """All fetch when the slowest clock has advanced; s."""
    moment = _until_a_start(num[3][0], now, finish, idle, clock, arrived, started)
    fetched[:] = (clock + arrived).min() > clock.min()
    return moment


@njit(cache=True, nogil=True)
def _list(mask, ids):  # type: ignore[no-untyped-def]
    filled = 0
    for i in range(mask.shape[0]):
        if mask[i]:
            ids[filled] = i
            filled += 1


@njit(cache=True, nogil=True)
def _move(  # type: ignore[no-untyped-def]
    t, now, table, finish, idle, clock, begun, version, cached, stamp, since, waited, dropped,
    arrived, fetched, started,
):  # fmt: skip
    """Fetch models and start gradients in one replica, as ``WorkerStates.move`` does."""
    for i in range(finish.shape[0]):
        clock[i] += arrived[i]
        dropped[i] += started[i] and not arrived[i] and not idle[i]
        if arrived[i] and not idle[i]:
            since[i] = finish[i]
    slowest = clock.min()
    for i in range(finish.shape[0]):
        waiting = idle[i] or arrived[i]
        if started[i] and waiting:
            waited[i] += now - since[i]
        idle[i] = waiting and not started[i]
        if fetched[i]:
            stamp[i], cached[i] = slowest, t + 1
        if started[i]:
            version[i] = cached[i]
            finish[i] = now + table[i, begun[i]]
            begun[i] += 1
        elif idle[i]:
            finish[i] = np.inf


@njit(cache=True, nogil=True)
def _drawing(  # type: ignore[no-untyped-def]
    decide, num, table, now, finish, idle, clock, begun, version, cached, stamp, since, waited,
    dropped, moments, arrivals, versions, fetches, starts, seconds, first, wanted,
):  # fmt: skip
    """Ticks first, ... of all replicas, in place; the tick before which it stopped: the last, one
    that waits for ever (``moments`` says in which replicas), or one that wants more room."""
    lead, n = finish.shape
    flags = np.empty((3, lead, n), np.bool_)
    for t in range(first, seconds.shape[0]):
        flags[:] = False
        lost, wanted[:] = False, 0
        for r in range(lead):
            arrived, fetched, started = flags[0, r], flags[1, r], flags[2, r]
            moments[r] = decide(
                num, now[r], t, finish[r], idle[r], clock[r], version[r], stamp[r], arrived,
                fetched, started,
            )  # fmt: skip
            lost |= not np.isfinite(moments[r])
            for kind in range(3):
                wanted[kind] = max(wanted[kind], flags[kind, r].sum())
            for i in range(n):
                if started[i]:
                    wanted[NUMBERS] = max(wanted[NUMBERS], begun[r, i] + 1)
        if (
            lost or wanted[ARRIVALS] > arrivals.shape[2] or wanted[FETCHES] > fetches.shape[2]
            or wanted[STARTS] > starts.shape[2] or wanted[NUMBERS] > table.shape[2]
        ):  # fmt: skip
            return t
        for r in range(lead):
            now[r] = seconds[t, r] = moments[r]
            _list(flags[0, r], arrivals[t, r])
            _list(flags[1, r], fetches[t, r])
            _list(flags[2, r], starts[t, r])
            for q in range(arrivals.shape[2]):
                subset = arrivals[t, r, q]
                versions[t, r, q] = version[r, subset] if subset < n else t
            _move(
                t, now[r], table[r], finish[r], idle[r], clock[r], begun[r], version[r], cached[r],
                stamp[r], since[r], waited[r], dropped[r], flags[0, r], flags[1, r], flags[2, r],
            )  # fmt: skip
    return seconds.shape[0]


DRAWING = Loop(
    _drawing, "word", "tick", "numbers", "rows3", "doubles", "rows2", "flags2", *(5 * ("whole2",)),
    "rows2", "rows2", "whole2", "doubles", *(4 * ("whole3",)), "rows2", "word", "whole",
)  # fmt: skip
"""In float64."""

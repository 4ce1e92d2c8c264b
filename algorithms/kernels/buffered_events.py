"""Ticks of a schedule at which one worker brings a gradient that a server weighs by its age and
collects.

The ticks that were done end before one at which not just one worker arrives, or whose numbers the
composed path looks at.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.client_events import ticks_ahead
from algorithms.kernels.compiled import njit
from algorithms.kernels.event_steps import BITS_UP, MESSAGES_UP, hear
from algorithms.kernels.row_parts import Loop, all_finite

TOTAL, OLDEST, BY_WORKER, LOCAL, BITS = range(5)
"""Places of the whole numbers of a server: gradients of a step, least age that is dropped (0: none
is), whether sums are kept by worker, local steps, length of a message."""


@njit(cache=True, nogil=True)
def _brought(gradient, gnum, words, replica, w, gamma, y, g, total):  # type: ignore[no-untyped-def]
    """The sum of a worker's gradients on its local steps from y ``[1, d]``; False: not finite."""
    for k in range(words.shape[0]):
        gradient(gnum, y, words[k, 0], words[k, 1], replica, w, g)
        if not all_finite(g):
            return False
        for j in range(y.shape[1]):
            total[0, j] = g[0, j] if k == 0 else total[0, j] + g[0, j]
            y[0, j] = y[0, j] - gamma * g[0, j]
    return all_finite(total)


@njit(cache=True, nogil=True)
def _full(counts, server):  # type: ignore[no-untyped-def]
    """Whether the server steps."""
    if not server[BY_WORKER]:
        return counts[0] >= server[TOTAL]
    n, spent = counts.shape[0], 0.0
    for count in counts:
        if count == 0:
            return False
        spent += 1 / count
    return spent * server[TOTAL] <= n * n * (1 + 1e-12)


@njit(cache=True, nogil=True)
def _direction(sums, counts, server, along):  # type: ignore[no-untyped-def]
    """Direction of the step, into along ``[d]``."""
    slots, d = sums.shape
    if not server[BY_WORKER]:
        for j in range(d):
            along[j] = sums[0, j] / server[TOTAL]
        return
    along[:] = 0
    for i in range(slots):
        for j in range(d):
            along[j] += along.dtype.type(sums[i, j] / counts[i])
    for j in range(d):
        along[j] /= slots


@njit(cache=True, nogil=True)
def _buffered(  # type: ignore[no-untyped-def]
    gradient, gnum, server, rate, factors, line, x, view, steps, given, sums, counts, traffic,
    arrivals, fetches, gammas, first, gwords, replica,
):  # fmt: skip
    d = x.shape[1]
    room = np.empty((4, 1, d), x.dtype)
    y, g, total, along = room[0], room[1], room[2], room[3]
    for i in range(gammas.shape[0]):
        w, gamma = arrivals[first + i, 0], gammas[i]
        if w == traffic.shape[1]:
            return i
        y[0] = view[w]
        if not _brought(gradient, gnum, gwords[i], replica, w, gamma, y, g, total):
            return i
        traffic[MESSAGES_UP, w] += 1
        traffic[BITS_UP, w] += server[BITS]
        age = steps[0] - given[w]
        if server[OLDEST] == 0 or age < server[OLDEST]:
            slot = w if server[BY_WORKER] else 0
            factor = factors[line[i], age]
            for j in range(d):
                sums[slot, j] = sums[slot, j] + factor * total[0, j]
            counts[slot] += 1
        if _full(counts, server):
            _direction(sums, counts, server, along[0])
            for j in range(d):
                x[0, j] = x[0, j] - rate[0] * (gamma * along[0, j])
            steps[0] += 1
            sums[:] = 0
            counts[:] = 0
        for hears in fetches[first + i]:
            if hears < traffic.shape[1]:
                view[hears] = x[0]
                given[hears] = steps[0]
                hear(traffic, hears, server[BITS])
    return gammas.shape[0]


@njit(cache=True, nogil=True)
def _buffered_events(  # type: ignore[no-untyped-def]
    gradient, gnum, server, rate, factors, line, x, view, steps, given, sums, counts, traffic,
    arrivals, fetches, gammas, first, gwords, replicas,
):  # fmt: skip
    done = ticks_ahead(arrivals, gammas, first)
    for r in range(x.shape[0]):
        done = _buffered(
            gradient, gnum, server, rate, factors, line, x[r : r + 1], view[r], steps[r : r + 1],
            given[r], sums[r], counts[r], traffic[r], arrivals[r], fetches[r], gammas[:done], first,
            gwords, replicas[r],
        )  # fmt: skip
    return done


BUFFERED_EVENTS = Loop(
    _buffered_events, "word", "gradient", "numbers", "whole", "rows1", "rows2", "whole", "rows2",
    "rows3", "whole", "whole2", "rows3", "whole2", "whole3", "whole3", "whole3", "rows1", "word",
    "whole3", "whole",
)  # fmt: skip

"""Ticks of a schedule at which workers reach a server: gradients at models read earlier, the
server's update, answers.

A schedule is ``[T, k]`` ids of workers for each replica, where n stands for nobody; whom it names
is charged in a bill ``[4, n]`` by the places below.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_parts import Loop, all_finite

MESSAGES_UP, BITS_UP, MESSAGES_DOWN, BITS_DOWN = range(4)
"""Places of a bill."""

SEND, CORRECT, CHANGE = range(3)
"""Places of a composition's flags: which parts it has."""


@njit(cache=True, nogil=True)
def upload(send, snum, sends, x, words, replica, worker, t, sent, length, traffic):  # type: ignore[no-untyped-def]
    """Send a worker's message for x ``[1, d]``; the server's reading goes into sent ``[1, d]``.

    ``length`` is that of the message, negative where the operator says it. False: the composed path
    would refuse it, or throw it away.
    """
    if not all_finite(x):
        return False
    bits = np.full(1, length)
    if not sends:
        sent[:] = x
    elif not send(snum, x, x[:0], words[0], words[1], replica, worker, t, sent, bits):
        return False
    traffic[MESSAGES_UP, worker] += 1
    traffic[BITS_UP, worker] += length if length >= 0 else bits[0]
    return all_finite(sent)


@njit(cache=True, nogil=True)
def hear(traffic, worker, length):  # type: ignore[no-untyped-def]
    """Charge an answer to a worker."""
    traffic[MESSAGES_DOWN, worker] += 1
    traffic[BITS_DOWN, worker] += length


@njit(cache=True, nogil=True)
def _summed(rows, count, divisor, total):  # type: ignore[no-untyped-def]
    """The sum of the first rows, from 0 on, over a whole number, into total ``[d]``."""
    for j in range(total.shape[0]):
        total[j] = 0
    for q in range(count):
        for j in range(total.shape[0]):
            total[j] += rows[q, j]
    for j in range(total.shape[0]):
        total[j] /= divisor


@njit(cache=True, nogil=True)
def _answer(x, view, cache, given, fetches, starts, length, traffic):  # type: ignore[no-untyped-def]
    """Give x to workers that fetch; those that start compute on theirs; uncached, one act."""
    n, caches = traffic.shape[1], cache.shape[0] > 0
    held = cache if caches else view
    for w in fetches:
        if w < n:
            held[w] = x[0]
            hear(traffic, w, length)
            if given.shape[0]:
                given[w] = x[0]
    if caches:
        for w in starts:
            view[w] = cache[w]
            if w == n:  # row n, nobody's, copied once: all after it are n too
                break


@njit(cache=True, nogil=True)
def _server_ticks(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, correct, rnum, change, pnum, flags, lengths, share, x, view, cache,
    given, memory, traffic, arrivals, fetches, starts, gammas, first, gwords, cwords, replica,
):  # fmt: skip
    """Ticks of one replica."""
    n, d, width = traffic.shape[1], x.shape[1], arrivals.shape[1]
    g, sent = np.empty((1, d), x.dtype), np.empty((width, d), x.dtype)
    total, read = np.empty(d, x.dtype), np.empty((width, d), x.dtype)
    for i in range(gammas.shape[0]):
        t, gamma, came = first + i, gammas[i], 0
        for w in arrivals[t]:
            if w == n:
                break
            gradient(gnum, view[w : w + 1], gwords[i, 0], gwords[i, 1], replica, w, g)
            if not upload(
                send, snum, flags[SEND], g, cwords[i], replica, w, t, sent[came : came + 1],
                lengths[0], traffic,
            ):  # fmt: skip
                return i
            if flags[CORRECT]:
                read[came] = given[w]
            came += 1
        if flags[CORRECT]:
            correct(rnum, memory, sent[:came], x, read[:came])
        divisor = share if share > 0 else max(came, 1)
        _summed(sent, came, divisor, total)
        for j in range(d):
            x[0, j] = x[0, j] - gamma * total[j]
        if cache.shape[0]:
            for q in range(came):
                own = cache[arrivals[t, q]]
                _summed(sent[q : q + 1], 1, divisor, total)
                for j in range(d):
                    own[j] = own[j] - gamma * total[j]
        if flags[CHANGE]:
            change(pnum, x, gamma, t)
        _answer(x, view, cache, given, fetches[t], starts[t], lengths[1], traffic)
    return gammas.shape[0]


@njit(cache=True, nogil=True)
def _server_events(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, correct, rnum, change, pnum, flags, lengths, share, x, view, cache,
    given, memory, traffic, arrivals, fetches, starts, gammas, first, gwords, cwords, replicas,
):  # fmt: skip
    done = max(0, min(gammas.shape[0], arrivals.shape[1] - first))
    for r in range(x.shape[0]):
        done = _server_ticks(
            gradient,
            gnum,
            send,
            snum,
            correct,
            rnum,
            change,
            pnum,
            flags,
            lengths,
            share,
            x[r : r + 1],
            view[r],
            cache[r],
            given[r],
            memory[r],
            traffic[r],
            arrivals[r],
            fetches[r],
            starts[r],
            gammas[:done],
            first,
            gwords,
            cwords,
            replicas[r],
        )
    return done


SERVER_EVENTS = Loop(
    _server_events, "word", "gradient", "numbers", "operator", "numbers", "correction", "numbers",
    "change", "numbers", "flags", "whole", "word", "rows2", "rows3", "rows3", "rows3", "rows3",
    "whole3", "whole3", "whole3", "whole3", "rows1", "word", "whole2", "whole2", "whole",
)  # fmt: skip
"""Ticks of every replica: how many were done before one whose message the composed path looks at.

A sum of one arrival is over ``share``, or over how many arrived where that is 0.
"""

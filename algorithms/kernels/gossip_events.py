"""Ticks of a schedule at which workers meet each other in pairs, without a server.

Each turn of a tick has words of its own for what an operator draws: ``twords`` ``[T, k, 2]``.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.event_steps import BITS_DOWN, BITS_UP, MESSAGES_DOWN, MESSAGES_UP
from algorithms.kernels.philox import uniform_row
from algorithms.kernels.row_parts import Loop, all_finite

AVERAGE, PULL, PUSH = range(3)
"""What a meeting is: both take the mean of the two; the caller does; who is called does."""


@njit(cache=True, nogil=True)
def _coin(words, replica, worker, room):  # type: ignore[no-untyped-def]
    uniform_row(words[0], words[1], replica, worker, room)
    return room[0]


@njit(cache=True, nogil=True)
def _called(  # type: ignore[no-untyped-def]
    neighbours, degrees, calls, probability, pwords, wwords, replica, worker, room
):
    """Whom a worker calls, a uniform neighbour; itself where it calls nobody."""
    if not calls[worker]:
        return worker
    if probability < 1 and not _coin(wwords, replica, worker, room) < probability:
        return worker
    place = np.int64(_coin(pwords, replica, worker, room) * degrees[worker])
    return neighbours[worker, min(place, degrees[worker] - 1)]


@njit(cache=True, nogil=True)
def _cross(traffic, sender, hearer, length):  # type: ignore[no-untyped-def]
    """Charge a message between workers."""
    traffic[MESSAGES_UP, sender] += 1
    traffic[BITS_UP, sender] += length
    traffic[MESSAGES_DOWN, hearer] += 1
    traffic[BITS_DOWN, hearer] += length


@njit(cache=True, nogil=True)
def _move(x, g, gamma):  # type: ignore[no-untyped-def]
    """A model ``[d]`` along a gradient; whether it is finite then."""
    good = True
    for j in range(x.shape[0]):
        x[j] = x[j] - gamma * g[j]
        good &= np.isfinite(x[j])
    return good


@njit(cache=True, nogil=True)
def _average(x, one, other):  # type: ignore[no-untyped-def]
    half = x.dtype.type(0.5)
    for j in range(x.shape[1]):
        x[one, j] = half * x[one, j] + half * x[other, j]
        x[other, j] = x[one, j]


@njit(cache=True, nogil=True)
def _exchange(send, snum, x, one, other, words, replica, t, length, sent, traffic):  # type: ignore[no-untyped-def]
    """Each of two moves by half the difference of what both sent; whether the operator takes all
    and says what is finite."""
    bits = np.empty(1, np.int64)
    for k in range(2):
        sender, hearer = (other, one) if k else (one, other)
        bits[0] = length
        row = x[sender : sender + 1]
        if not send(
            snum, row, x[:0], words[0], words[1], replica, sender, t, sent[k : k + 1], bits
        ):
            return False
        _cross(traffic, sender, hearer, bits[0])
    half = x.dtype.type(0.5)
    for j in range(x.shape[1]):
        x[one, j] = x[one, j] + half * (sent[1, j] - sent[0, j])
        x[other, j] = x[other, j] + half * (sent[0, j] - sent[1, j])
    return all_finite(sent)


@njit(cache=True, nogil=True)
def _atomic(  # type: ignore[no-untyped-def]
    send, snum, sends, words, replica, t, x, subset, called, g, gamma, length, sent, traffic
):
    """One after another averages with whom it called, and moves; whether all stay finite."""
    good = True
    for q in range(g.shape[0]):
        one, other = subset[q], called[q]
        if other != one and sends:
            good &= _exchange(
                send, snum, x, one, other, words[q], replica, t, length, sent, traffic
            )
        elif other != one:
            _average(x, one, other)
            _cross(traffic, one, other, length)
            _cross(traffic, other, one, length)
        good &= _move(x[one], g[q], gamma)
    return good


@njit(cache=True, nogil=True)
def _one_sided(x, held, subset, called, pull, g, gamma, length, traffic):  # type: ignore[no-untyped-def]
    """Hearers take the mean of their model and those that they hear, all as they stood before."""
    incoming = np.zeros(x.shape[0], np.int64)
    for q in range(g.shape[0]):
        held[q] = x[called[q] if pull else subset[q]]
    for q in range(g.shape[0]):
        if called[q] != subset[q]:
            hearer, sender = (subset[q], called[q]) if pull else (called[q], subset[q])
            incoming[hearer] += 1
            for j in range(x.shape[1]):
                x[hearer, j] = x[hearer, j] + held[q, j]
            _cross(traffic, sender, hearer, length)
    for i in range(x.shape[0]):
        if incoming[i]:
            for j in range(x.shape[1]):
                x[i, j] /= 1 + incoming[i]
    for q in range(g.shape[0]):
        _move(x[subset[q]], g[q], gamma)


@njit(cache=True, nogil=True)
def _ticks(  # type: ignore[no-untyped-def]
    gradient,
    gnum,
    send,
    snum,
    sends,
    how,
    neighbours,
    degrees,
    calls,
    probability,
    length,
    x,
    view,
    traffic,
    arrivals,
    starts,
    gammas,
    first,
    gwords,
    pwords,
    wwords,
    twords,
    replica,
):
    """Ticks of one replica."""
    n, width = traffic.shape[1], arrivals.shape[1]
    g, room = np.empty((width, x.shape[1]), x.dtype), np.empty(1)
    held, called = np.empty_like(g), np.empty(width, np.int64)
    sent = np.empty((2, x.shape[1]), x.dtype)
    if how == AVERAGE and not all_finite(x[:n]):
        return 0
    for i in range(gammas.shape[0]):
        t, came = first + i, 0
        for w in arrivals[t]:
            if w == n:
                break
            gradient(
                gnum, view[w : w + 1], gwords[i, 0], gwords[i, 1], replica, w, g[came : came + 1]
            )
            called[came] = _called(
                neighbours, degrees, calls, probability, pwords[i], wwords[i], replica, w, room
            )
            came += 1
        if not all_finite(g[:came]):
            return i
        if how != AVERAGE:
            _one_sided(
                x, held, arrivals[t], called, how == PULL, g[:came], gammas[i], length, traffic
            )
        elif not _atomic(
            send, snum, sends, twords[i], replica, t, x, arrivals[t], called, g[:came], gammas[i],
            length, sent, traffic,
        ):  # fmt: skip
            return i
        for w in starts[t]:
            if w < n:
                view[w] = x[w]
    return gammas.shape[0]


@njit(cache=True, nogil=True)
def _gossip_events(  # type: ignore[no-untyped-def]
    gradient,
    gnum,
    send,
    snum,
    sends,
    how,
    neighbours,
    degrees,
    calls,
    probability,
    length,
    x,
    view,
    traffic,
    arrivals,
    starts,
    gammas,
    first,
    gwords,
    pwords,
    wwords,
    twords,
    replicas,
):
    done = max(0, min(gammas.shape[0], arrivals.shape[1] - first))
    for r in range(x.shape[0]):
        done = _ticks(
            gradient, gnum, send, snum, sends, how, neighbours, degrees, calls, probability[0],
            length, x[r], view[r], traffic[r], arrivals[r], starts[r], gammas[:done], first,
            gwords, pwords, wwords, twords, replicas[r],
        )  # fmt: skip
    return done


GOSSIP_EVENTS = Loop(
    _gossip_events, "word", "gradient", "numbers", "operator", "numbers", "flag", "word", "whole2",
    "whole", "flags", "doubles", "word", "rows3", "rows3", "whole3", "whole3", "whole3", "rows1",
    "word", "whole2", "whole2", "whole2", "whole3", "whole",
)  # fmt: skip
"""Ticks of every replica: how many were done before one in which a number is not finite."""

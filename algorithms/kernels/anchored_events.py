"""Ticks of gradients that are taken around an anchor, in low precision both ways."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.diana_steps import difference
from algorithms.kernels.event_steps import BITS_UP, MESSAGES_UP, hear, upload
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.server_steps import add_rows

SEND, ANSWER, CHANGE, MOMENTUM = range(4)
"""Places of a composition's flags: which parts it has; whether iterates run ahead of the models."""

UP, DOWN, DENSE, EPOCH = range(4)
"""Places of its whole numbers: lengths of messages, negative where they vary, and the epoch."""


@njit(cache=True, nogil=True, error_model="numpy")
def _anchored(  # type: ignore[no-untyped-def]
    full_gradient, fnum, flags, whole, theta, z, total, anchor, full, read, traffic, first
):
    """A new anchor ``[1, d]`` and its mean gradient ``full``; all workers read it and send. False:
    the gradient is not finite."""
    n, d = traffic.shape[1], z.shape[1]
    if flags[MOMENTUM] and not first:
        count = z.dtype.type(whole[EPOCH])
        for j in range(d):
            anchor[0, j] = anchor[0, j] + theta * (total[0, j] / count - anchor[0, j])
    else:
        anchor[:] = z
    g = np.empty((n, d), z.dtype)
    full_gradient(fnum, anchor, 0, 0, 0, 0, g)
    full[:] = 0
    add_rows(g, full[0], 0, d)
    for j in range(d):
        full[0, j] /= n
    total[:] = 0
    for w in range(read.shape[0]):
        read[w] = anchor[0]
    for w in range(n):
        traffic[MESSAGES_UP, w] += 1
        traffic[BITS_UP, w] += whole[DENSE]
        hear(traffic, w, whole[DENSE])
    return all_finite(full)


@njit(cache=True, nogil=True)
def _answer(answer, anum, flags, whole, theta, z, anchor, words, replica, t, n, room):  # type: ignore[no-untyped-def]
    """The model that who arrived reads, into room[3]; the length of the message, negative where it
    is refused."""
    apart, incoming, bits = room[2:3], room[3:4], np.full(1, whole[DOWN])
    for j in range(z.shape[1]):
        y = z[0, j]
        if flags[MOMENTUM]:
            y = anchor[0, j] + theta * (z[0, j] - anchor[0, j])
        apart[0, j] = y - anchor[0, j]
    if not flags[ANSWER]:
        incoming[:] = apart
    elif not answer(anum, apart, apart[:0], words[0], words[1], replica, n, t, incoming, bits):
        return np.int64(-1)
    for j in range(z.shape[1]):
        incoming[0, j] = anchor[0, j] + incoming[0, j]
    return bits[0]


@njit(cache=True, nogil=True)
def _tick(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, answer, anum, change, pnum, flags, whole, theta, z, anchor, full,
    read, traffic, arrivals, gamma, t, gwords, cwords, awords, replica, room,
):  # fmt: skip
    """One tick: who arrives sends a difference, the server steps and answers. False: something is
    refused."""
    n, d, came = traffic.shape[1], z.shape[1], 0
    here, there, u = room[:1], room[1:2], room[4:5]
    u[:] = 0
    for w in arrivals:
        if w == n:
            break
        gradient(gnum, read[w : w + 1], gwords[0], gwords[1], replica, w, here)
        gradient(gnum, anchor, gwords[0], gwords[1], replica, w, there)
        difference(here, there, here)
        if not upload(
            send, snum, flags[SEND], here, cwords, replica, w, t, there, whole[UP], traffic
        ):
            return False
        for j in range(d):
            u[0, j] = u[0, j] + there[0, j] if came else there[0, j]
        came += 1
    for j in range(d):
        z[0, j] = z[0, j] - gamma * (u[0, j] + full[0, j])
    if flags[CHANGE]:
        change(pnum, z, gamma, t)
    length = _answer(answer, anum, flags, whole, theta, z, anchor, awords, replica, t, n, room)
    for w in arrivals[:came]:
        hear(traffic, w, length)
        read[w] = room[3]
    return length >= 0 and all_finite(z)


@njit(cache=True, nogil=True)
def _anchored_events(  # type: ignore[no-untyped-def]
    gradient, gnum, full_gradient, fnum, send, snum, answer, anum, change, pnum, flags, whole,
    theta, z, total, anchor, full, read, traffic, arrivals, gammas, first, gwords, cwords, awords,
    replicas,
):  # fmt: skip
    done = max(0, min(gammas.shape[0], arrivals.shape[1] - first))
    room = np.empty((5, z.shape[2]), z.dtype)
    for r in range(z.shape[0]):
        for i in range(done):
            t = first + i
            if t % whole[EPOCH] == 0 and not _anchored(
                full_gradient, fnum, flags, whole, theta, z[r], total[r], anchor[r], full[r],
                read[r], traffic[r], t == 0,
            ):  # fmt: skip
                done = i
                break
            if not _tick(
                gradient, gnum, send, snum, answer, anum, change, pnum, flags, whole, theta, z[r],
                anchor[r], full[r], read[r], traffic[r], arrivals[r, t], gammas[i], t, gwords[i],
                cwords[i], awords[i], replicas[r], room,
            ):  # fmt: skip
                done = i
                break
            if flags[MOMENTUM]:
                for j in range(z.shape[2]):
                    total[r, 0, j] = total[r, 0, j] + z[r, 0, j]
    return done


ANCHORED_EVENTS = Loop(
    _anchored_events, "word", *("gradient", "numbers") * 2, *("operator", "numbers") * 2, "change",
    "numbers", "flags", "whole", "real", *("rows3",) * 5, "whole3", "whole3", "rows1", "word",
    "whole2", "whole2", "whole2", "whole",
)  # fmt: skip
"""Ticks of every replica: how many were done before one that the composed path looks at."""

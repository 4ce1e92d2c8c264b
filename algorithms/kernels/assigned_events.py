"""Ticks of a server whose models go to workers by a rule: gradients at versions that are kept."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.event_steps import BITS_UP, MESSAGES_UP, hear
from algorithms.kernels.row_parts import Loop, all_finite


@njit(cache=True, nogil=True)
def _tick(  # type: ignore[no-untyped-def]
    gradient, gnum, length, kept, traffic, arrivals, read, fetches, gamma, t, words, replica, g
):
    """One tick of one replica; ``kept`` ``[depth, d]`` are the last versions. False: a gradient is
    not finite."""
    depth, d, n = kept.shape[0], kept.shape[1], traffic.shape[1]
    total = np.zeros(d, kept.dtype)
    for q in range(arrivals.shape[0]):
        w, place = arrivals[q], read[q] % depth
        if w == n:
            break
        gradient(gnum, kept[place : place + 1], words[0], words[1], replica, w, g)
        if not all_finite(g):
            return False
        traffic[MESSAGES_UP, w] += 1
        traffic[BITS_UP, w] += length
        for j in range(d):
            total[j] += g[0, j]
    now, after = kept[t % depth], kept[(t + 1) % depth]
    for j in range(d):
        after[j] = now[j] - gamma * total[j]
    for w in fetches:
        if w < n:
            hear(traffic, w, length)
    return True


@njit(cache=True, nogil=True)
def _assigned_events(  # type: ignore[no-untyped-def]
    gradient, gnum, length, kept, traffic, arrivals, versions, fetches, gammas, first, gwords,
    replicas,
):  # fmt: skip
    done, g = max(0, min(gammas.shape[0], arrivals.shape[1] - first)), kept[0, :1].copy()
    for r in range(kept.shape[0]):
        for i in range(done):
            t = first + i
            if not _tick(
                gradient, gnum, length, kept[r], traffic[r], arrivals[r, t], versions[r, t],
                fetches[r, t], gammas[i], t, gwords[i], replicas[r], g,
            ):  # fmt: skip
                done = i
                break
    return done


ASSIGNED_EVENTS = Loop(
    _assigned_events, "word", "gradient", "numbers", "word", "rows3", "whole3", "whole3", "whole3",
    "whole3", "rows1", "word", "whole2", "whole",
)  # fmt: skip
"""Ticks of every replica: how many were done before a gradient was not finite."""

"""Steps of delayed proximal gradients: coordinates by lot or blocks in turn, sent without zeros."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.client_events import ticks_ahead
from algorithms.kernels.compiled import njit
from algorithms.kernels.event_steps import BITS_UP, MESSAGES_UP, hear
from algorithms.kernels.philox import integers_row, uniform_row
from algorithms.kernels.row_parts import Loop, all_finite


@njit(cache=True, nogil=True)
def _written(row):  # type: ignore[no-untyped-def]
    """Number of nonzero entries of a row."""
    count = 0
    for j in range(row.shape[0]):
        count += row[j] != 0
    return count


@njit(cache=True, nogil=True)
def _change(read, old, g, gamma, q, support, u, delta):  # type: ignore[no-untyped-def]
    """Change of a worker's point on random coordinates and on the support of ``read``."""
    zero = read.dtype.type(0)
    for j in range(read.shape[0]):
        chosen = u[j] < q or (support and read[j] != 0)
        delta[j] = read[j] - gamma * g[j] - old[j] if chosen else zero


@njit(cache=True, nogil=True)
def _coordinates(  # type: ignore[no-untyped-def]
    gradient, gnum, change, pnum, changes, lengths, q, support, mean, x, read, points, traffic,
    arrivals, gammas, first, words, replica,
):  # fmt: skip
    """Ticks of one replica, full gradients at what the arriving worker read."""
    n, d = traffic.shape[1], mean.shape[0]
    g, delta, u = np.empty((1, d), x.dtype), np.empty((1, d), x.dtype), np.empty(d)
    zero = x.dtype.type(0)
    for i in range(gammas.shape[0]):
        t, w = first + i, arrivals[first + i, 0]
        if w == n:
            return i
        gradient(gnum, read[w : w + 1], 0, 0, replica, w, g)
        if not all_finite(g):
            return i
        uniform_row(words[i, 0], words[i, 1], replica, w, u)
        _change(read[w], points[w], g[0], gammas[i], q, support, u, delta[0])
        if not all_finite(delta):
            return i
        traffic[MESSAGES_UP, w] += 1
        traffic[BITS_UP, w] += _written(delta[0]) * lengths[0]
        for j in range(d):
            share = (zero + delta[0, j]) / n
            mean[j] = mean[j] + x.dtype.type(share)
            points[w, j] = points[w, j] + delta[0, j]
        x[0] = mean
        if changes:
            change(pnum, x, gammas[i], t)
        read[w] = x[0]
        hear(traffic, w, lengths[1])
    return gammas.shape[0]


@njit(cache=True, nogil=True)
def _coordinate_events(  # type: ignore[no-untyped-def]
    gradient, gnum, change, pnum, changes, lengths, q, support, mean, x, read, points, traffic,
    arrivals, gammas, first, words, replicas,
):  # fmt: skip
    done = ticks_ahead(arrivals, gammas, first)
    for r in range(x.shape[0]):
        done = _coordinates(
            gradient, gnum, change, pnum, changes, lengths, q[0], support, mean[r], x[r : r + 1],
            read[r], points[r], traffic[r], arrivals[r], gammas[:done], first, words, replicas[r],
        )  # fmt: skip
    return done


@njit(cache=True, nogil=True)
def _block_mean(  # type: ignore[no-untyped-def]
    gradient, gnum, versions, low, high, entry, limit, t, words, replica, g, total, bits
):
    """The mean of the workers' blocks, each of a full gradient at a version by lot; numbers at zero
    of no more than the limit are not sent. False: a gradient is not finite."""
    depth, n, age = versions.shape[0], bits.shape[0], np.empty(1, np.int64)
    total[:] = 0
    for w in range(n):
        integers_row(words[0], words[1], replica, w, min(depth - 1, t) + 1, age)
        row = (t - age[0]) % depth
        gradient(gnum, versions[row : row + 1], 0, 0, replica, w, g)
        if not all_finite(g):
            return False
        sent = 0
        for j in range(low, high):
            if versions[row, j] != 0 or abs(g[0, j]) > limit:
                total[j] += g[0, j]
                sent += g[0, j] != 0
        bits[w] = sent * entry
    for j in range(low, high):
        total[j] /= n
    return True


@njit(cache=True, nogil=True)
def _delayed_steps(  # type: ignore[no-untyped-def]
    gradient, gnum, change, pnum, changes, entries, versions, newest, limits, gammas, first, words,
    replicas, bits,
):  # fmt: skip
    depth, d, blocks = versions.shape[1], versions.shape[2], entries.shape[0]
    g, total = np.empty((1, d), versions.dtype), np.empty(d, versions.dtype)
    for i in range(gammas.shape[0]):
        t = first + i
        b = t % blocks
        low, high = b * d // blocks, (b + 1) * d // blocks
        moved = np.empty((1, high - low), versions.dtype)
        for r in range(versions.shape[0]):
            if not _block_mean(
                gradient, gnum, versions[r], low, high, entries[b], limits[i], t, words[i],
                replicas[r], g, total, bits[i, r],
            ):  # fmt: skip
                return i
            now, later = versions[r, t % depth], versions[r, (t + 1) % depth]
            for j in range(low, high):
                moved[0, j - low] = now[j] - gammas[i] * total[j]
            if changes:
                change(pnum, moved, gammas[i], t)
            later[:] = now
            later[low:high] = moved[0]
            newest[r] = (t + 1) % depth
    return gammas.shape[0]


COORDINATE_EVENTS = Loop(
    _coordinate_events, "word", "gradient", "numbers", "change", "numbers", "flag", "whole",
    "doubles", "flag", "rows2", "rows2", "rows3", "rows3", "whole3", "whole3", "rows1", "word",
    "whole2", "whole",
)  # fmt: skip
DELAYED_STEPS = Loop(
    _delayed_steps, "word", "gradient", "numbers", "change", "numbers", "flag", "whole", "rows3",
    "whole", "rows1", "rows1", "word", "whole2", "whole", "whole3",
)  # fmt: skip

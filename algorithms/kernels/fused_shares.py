"""Steps of ``fused_logistic`` and ``fused_compressed`` of one replica, by shares of its workers.

A step is one or two kernels, each of which can be called for shares of workers (or of coordinates)
by several threads at once: they read what no other share writes. Sums over workers are taken in the
order of ids, coordinate by coordinate, so that every number is that of the kernels for all workers.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.fused_compressed import add_levels, agree_row, hear_row, tell_row
from algorithms.kernels.fused_logistic import gradient
from algorithms.kernels.mixing import mix_row
from algorithms.kernels.philox import uniform_row
from algorithms.kernels.rounding import level_row
from algorithms.kernels.row_norms import norms_into
from algorithms.kernels.selection import largest_into


@njit(cache=True, nogil=True)
def gradients(rows, x, lam, key, replica, batch, held, first, end):  # type: ignore[no-untyped-def]
    """Gradients at x ``[d]`` of the workers first, ..., end - 1, into their rows of held."""
    index = np.empty(batch, np.int64)
    for w in range(first, end):
        gradient(rows[w], x, lam, key[0], key[1], replica, w, index, held[w])


@njit(cache=True, nogil=True)
def _sum_rows(rows, first, end, total):  # type: ignore[no-untyped-def]
    """Coordinates first, ..., end - 1 of the rows' sum, in the order of ids, into total."""
    total[:] = 0
    for w in range(rows.shape[0]):
        row = rows[w, first:end]
        for j in range(total.shape[0]):
            total[j] += row[j]


@njit(cache=True, nogil=True)
def descend(held, x, gamma, ahead, first, end):  # type: ignore[no-untyped-def]
    """Coordinates first, ..., end - 1 of x - gamma (mean of the rows of held), into ahead; False:
    a sum is not finite."""
    n, total = held.shape[0], ahead[first:end]
    _sum_rows(held, first, end, total)
    for j in range(total.shape[0]):
        if not np.isfinite(total[j]):
            return False
    for j in range(total.shape[0]):
        total[j] /= n
        total[j] = x[first + j] - gamma * total[j]
    return True


@njit(cache=True, nogil=True)
def alone(rows, x, lam, gammas, keys, replica, batch, first, end):  # type: ignore[no-untyped-def]
    """All steps of the workers first, ..., end - 1, each by itself, on their rows of x ``[n, d]``;
    False: a model is not finite."""
    index, g = np.empty(batch, np.int64), np.empty_like(x[0])
    for w in range(first, end):
        own = x[w]
        for t in range(gammas.shape[0]):
            gradient(rows[w], own, lam, keys[t, 0], keys[t, 1], replica, w, index, g)
            for j in range(own.shape[0]):
                own[j] = own[j] + -gammas[t] * g[j]
        for j in range(own.shape[0]):
            if not np.isfinite(own[j]):
                return False
    return True


@njit(cache=True, nogil=True)
def meet(x, mean, first, end):  # type: ignore[no-untyped-def]
    """Coordinates first, ..., end - 1 of all rows of x become their mean, which is kept."""
    n, total = x.shape[0], mean[first:end]
    _sum_rows(x, first, end, total)
    for j in range(total.shape[0]):
        total[j] /= n
    for w in range(n):
        x[w, first:end] = total


@njit(cache=True, nogil=True)
def mixed(  # type: ignore[no-untyped-def]
    rows, x, lam, gamma, key, replica, batch, neighbours, weight, ahead, first, end
):
    """Mixed models less gamma times the gradients of the workers first, ..., end - 1, into their
    rows of ahead ``[n, d]``; False: a gradient is not finite."""
    index, g, good = np.empty(batch, np.int64), np.empty_like(x[0]), True
    for w in range(first, end):
        new = ahead[w]
        mix_row(x, neighbours[w], weight[w], new, 0, new.shape[0])
        gradient(rows[w], x[w], lam, key[0], key[1], replica, w, index, g)
        for j in range(g.shape[0]):
            good &= np.isfinite(g[j])
            new[j] = new[j] + -gamma * g[j]
    return good


@njit(cache=True, nogil=True)
def quantise(  # type: ignore[no-untyped-def]
    rows, x, lam, key, replica, batch, coins, s, width, codes, tops, first, end
):
    """QSGD's levels and norms of the gradients of the workers first, ..., end - 1; False: a norm is
    not finite."""
    index, u = np.empty(batch, np.int64), np.empty(x.shape[0], x.dtype)
    g, norm = np.empty((1, x.shape[0]), x.dtype), np.empty(1, x.dtype)
    for w in range(first, end):
        gradient(rows[w], x, lam, key[0], key[1], replica, w, index, g[0])
        norms_into(g, norm)
        tops[w] = norm[0]
        if not np.isfinite(norm[0]):
            return False
        if norm[0] == 0:
            continue
        uniform_row(coins[0], coins[1], replica, w, u)
        level_row(g[0], norm[0], s, u, width, codes[w])
    return True


@njit(cache=True, nogil=True)
def descend_levels(codes, tops, s, width, x, gamma, first, end):  # type: ignore[no-untyped-def]
    """Coordinates first, ..., end - 1 of x less gamma times the mean of what the levels say."""
    n, own = codes.shape[0], x[first:end]
    total = np.zeros(own.shape[0], x.dtype)
    for w in range(n):
        if tops[w] != 0:
            add_levels(codes[w, first:end], tops[w], s, width, total)
    for j in range(own.shape[0]):
        total[j] /= n
        own[j] = own[j] - gamma * total[j]


@njit(cache=True, nogil=True)
def press(  # type: ignore[no-untyped-def]
    rows, x, lam, gamma, key, replica, batch, memory, bits, mask, chosen, values, first, end
):
    """Top-k with error feedback of the workers first, ..., end - 1: which entries they send, what
    those are, and what is left in their rows of memory ``[n, d]``."""
    index, g = np.empty(batch, np.int64), np.empty_like(x)
    for w in range(first, end):
        gradient(rows[w], x, lam, key[0], key[1], replica, w, index, g)
        wanted = memory[w]
        for j in range(g.shape[0]):
            wanted[j] = wanted[j] + gamma * g[j]
        largest_into(bits[w : w + 1], mask, chosen.shape[1], chosen[w : w + 1])
        for i in range(chosen.shape[1]):
            j = chosen[w, i]
            values[w, i] = wanted[j]
            wanted[j] = wanted[j] - (0 + wanted[j])


@njit(cache=True, nogil=True)
def descend_entries(chosen, values, x):  # type: ignore[no-untyped-def]
    """x less the mean of sparse messages; False: a sum is not finite."""
    n, total = chosen.shape[0], np.zeros_like(x)
    for w in range(n):
        for i in range(chosen.shape[1]):
            total[chosen[w, i]] += values[w, i]
    for j in range(x.shape[0]):
        if not np.isfinite(total[j]):
            return False
        total[j] /= n
        x[j] = x[j] - total[j]
    return True


@njit(cache=True, nogil=True)
def tell(  # type: ignore[no-untyped-def]
    rows, x, lam, gamma, key, replica, batch, public, mixed, consensus, apart, bits, mask, chosen,
    values, first, end,
):  # fmt: skip
    """CHOCO-SGD of the workers first, ..., end - 1: the consensus step with what they heard last,
    the local step, and what they say of themselves, into their rows of chosen and values
    ``[n, kept]``; row ``first`` of apart ``[n, d]`` is this share's scratch, and its bits are given
    too. False: a value is not finite."""
    index, g = np.empty(batch, np.int64), np.empty_like(x[0])
    mine, its_bits = apart[first : first + 1], bits[first : first + 1]
    for w in range(first, end):
        agree_row(x[w], public[w], mixed[w], consensus)
        gradient(rows[w], x[w], lam, key[0], key[1], replica, w, index, g)
        row = chosen[w : w + 1]
        if not tell_row(x[w], public[w], g, gamma, mine, its_bits, mask, row, values[w]):
            return False
    return True


@njit(cache=True, nogil=True)
def hear(mixed, chosen, values, neighbours, weight, first, end):  # type: ignore[no-untyped-def]
    """Sums over neighbours ``[n, d]`` of the workers first, ..., end - 1, after what was said."""
    heard = np.zeros_like(mixed[0])
    for w in range(first, end):
        hear_row(mixed[w], chosen, values, neighbours[w], weight[w], heard)


@njit(cache=True, nogil=True)
def agree(x, public, mixed, consensus, first, end):  # type: ignore[no-untyped-def]
    """CHOCO-SGD's consensus step of the workers first, ..., end - 1: arrays ``[n, d]``."""
    for w in range(first, end):
        agree_row(x[w], public[w], mixed[w], consensus)

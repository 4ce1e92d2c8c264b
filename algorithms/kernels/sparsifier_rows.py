"""Sparsifiers as parts of compiled steps: which numbers of each row are sent, and how long that is.

What a list holds is added to a row of zeros, as decoding does, so that no zero of it has a sign.
Lengths that vary are head + each * count, head and each the first of a part's integers.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import integer_view, magnitude_mask, njit
from algorithms.kernels.gaussian import inspected_row, moments_row
from algorithms.kernels.key_words import folded
from algorithms.kernels.mask_to_indices import above_row, down_to_row, drawn_row
from algorithms.kernels.quantile import magnitudes, room_to_take
from algorithms.kernels.row_norms import norms_into
from algorithms.kernels.row_parts import all_finite
from algorithms.kernels.selection import largest_row
from algorithms.kernels.top_of_uniforms import lose_row, lots_row, room_for_lots
from algorithms.kernels.top_values import highest_keys


@njit(cache=True, nogil=True)
def _spread(row, mask, factor, sent):  # type: ignore[no-untyped-def]
    """Masked entries of a row, times a factor; whether all are finite."""
    good, zero = True, row.dtype.type(0)
    for j in range(row.shape[0]):
        sent[j] = zero + (row[j] * factor if mask[j] else zero)
        good &= np.isfinite(sent[j])
    return good


@njit(cache=True, nogil=True)
def _listed(row, mask, sent):  # type: ignore[no-untyped-def]
    """Masked entries of a finite row, zeros left out; the number of them."""
    count, zero = np.int64(0), row.dtype.type(0)
    for j in range(row.shape[0]):
        sent[j] = row[j] if mask[j] and row[j] != 0 else zero
        count += np.int64(sent[j] != 0)
    return count


@njit(cache=True, nogil=True)
def rand_k(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """k numbers by lot, times a factor; k."""
    if not all_finite(x):
        return False
    factor, good = numbers[0][0], True
    room, chosen = room_for_lots(x.shape[1]), np.empty(numbers[3][0], np.int64)
    for i in range(x.shape[0]):
        lots_row(k0, k1, replica, first + i, chosen.shape[0], room, chosen)
        sent[i] = 0
        for j in chosen:
            value = x[i, j] * factor
            good &= np.isfinite(value)
            sent[i, j] += value
    return good


@njit(cache=True, nogil=True)
def random_mask(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Numbers by the toss of a coin, times a factor; head, each, the limit of ``drawn_row``, and
    whether indices are sent, and so no zeros."""
    if not all_finite(x):
        return False
    head, each, limit, listed = numbers[3][0], numbers[3][1], numbers[3][2], numbers[3][3]
    mask = np.empty(x.shape[1], np.bool_)
    for i in range(x.shape[0]):
        drawn_row(k0, k1, replica, first + i, limit, mask)
        if not _spread(x[i], mask, numbers[0][0], sent[i]):
            return False
        count = np.int64(0)
        for j in range(mask.shape[0]):
            count += np.int64(mask[j]) & np.int64((listed == 0) | (x[i, j] != 0))
        bits[i] = head + each * count
    return True


@njit(cache=True, nogil=True)
def nonzero(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """All numbers that are not zero; head and each."""
    if not all_finite(x):
        return False
    all_of_them = np.ones(x.shape[1], np.bool_)
    for i in range(x.shape[0]):
        bits[i] = numbers[3][0] + numbers[3][1] * _listed(x[i], all_of_them, sent[i])
    return True


@njit(cache=True, nogil=True)
def top_count(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """The largest magnitudes, zeros left out; head, each, how many, and whether the guide's first
    number says that instead, where there is a guide."""
    if not all_finite(x):
        return False
    head, each, k, guided = numbers[3][0], numbers[3][1], numbers[3][2], numbers[3][3]
    d, whole, some = x.shape[1], integer_view(x), magnitude_mask(x)
    keys, found, room = np.empty(d, whole.dtype), np.empty(d, np.int32), room_to_take(d)
    mask, guess = np.empty(d, np.bool_), np.int64(0)
    for i in range(x.shape[0]):
        many = np.int64(guide[i, 0]) if guided and guide.shape[0] > 0 else k
        magnitudes(whole[i], some, keys)
        guess = highest_keys(keys, many, guess, room, found, mask)
        bits[i] = head + each * _listed(x[i], mask, sent[i])
    return True


@njit(cache=True, nogil=True)
def _least(row, places):  # type: ignore[no-untyped-def]
    """The least magnitude of a row at some places, and the last of these where it is."""
    edge, end = abs(row[places[0]]), places[0]
    for j in places:
        size = abs(row[j])
        if size < edge or (size == edge and j > end):
            edge, end = size, j
    return edge, end


@njit(cache=True, nogil=True)
def sampled_threshold(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Magnitudes down to the one of a rank in a sample; head, each, size of the sample, rank."""
    if not all_finite(x):
        return False
    d, size, rank = x.shape[1], numbers[3][2], numbers[3][3]
    lots, sampled, guess = room_for_lots(d), np.empty(size, np.int64), np.int64(0)
    held, chosen, room = np.empty(size, x.dtype), np.empty(rank, np.int64), room_to_take(size)
    keys, mask = np.empty(size, integer_view(held).dtype), np.empty(d, np.bool_)
    for i in range(x.shape[0]):
        lots_row(k0, k1, replica, first + i, size, lots, sampled)
        for e in range(size):
            held[e] = x[i, sampled[e]]
        whole = integer_view(held)
        guess = largest_row(whole, magnitude_mask(held), rank, guess, keys, room, chosen)
        for e in range(rank):
            chosen[e] = sampled[chosen[e]]
        edge, end = _least(x[i], chosen)
        down_to_row(x[i], edge, end, mask)
        bits[i] = numbers[3][0] + numbers[3][1] * _listed(x[i], mask, sent[i])
    return True


@njit(cache=True, nogil=True)
def gaussian_k(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Magnitudes above a threshold that a Gaussian would have; head, each, k and how many looks;
    sqrt d and the quantile, none where all are kept."""
    if not all_finite(x):
        return False
    head, each, k, looks = numbers[3][0], numbers[3][1], numbers[3][2], numbers[3][3]
    d, edge = x.shape[1], -np.inf
    off, room, mask = np.empty((1, d)), np.empty(1), np.empty(d, np.bool_)
    for i in range(x.shape[0]):
        if k < d:
            middle, away = moments_row(x[i], off, room)
            edge = middle + away / numbers[4][0] * numbers[4][1]
        above_row(x[i], inspected_row(x[i], edge, k, looks), mask)
        bits[i] = head + each * _listed(x[i], mask, sent[i])
    return True


@njit(cache=True, nogil=True)
def largest_of_parts(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Top-k of each part of a row: the sizes of the parts and k, in turn."""
    whole, some, good = integer_view(x), magnitude_mask(x), True
    keys, found = np.empty(x.shape[1], whole.dtype), np.empty(x.shape[1], np.int64)
    mask, places = room_to_take(x.shape[1])
    for i in range(x.shape[0]):
        sent[i], start = 0, 0
        for p in range(0, numbers[3].shape[0], 2):
            size, k = numbers[3][p], numbers[3][p + 1]
            row, chosen, room = whole[i, start : start + size], found[:k], (mask[:size], places)
            largest_row(row, some, k, np.int64(0), keys[:size], room, chosen)
            for j in chosen:
                good &= np.isfinite(x[i, start + j])
                sent[i, start + j] += x[i, start + j]
            start += size
    return good


@njit(cache=True, nogil=True)
def _total(row):  # type: ignore[no-untyped-def]
    total = 0.0
    for j in range(row.shape[0]):
        total += abs(np.float64(row[j]))
    return total


@njit(cache=True, nogil=True)
def row_top_k(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """The rows of a matrix of largest norm; k, rows and columns; what no sum of norms may reach
    here, for the composed path adds them up to see whether they are finite."""
    k, rows, width = numbers[3][0], numbers[3][1], numbers[3][2]
    sizes, chosen = np.empty(rows, x.dtype), np.empty(k, np.int64)
    keys, room, guess = np.empty(rows, integer_view(x).dtype), room_to_take(rows), np.int64(0)
    for i in range(x.shape[0]):
        table, there = x[i].reshape(rows, width), sent[i].reshape(rows, width)
        if width > 1:
            norms_into(table, sizes)
        else:
            sizes[:] = x[i]
        if not _total(sizes) < numbers[4][0]:
            return False
        whole = integer_view(sizes)
        guess = largest_row(whole, magnitude_mask(sizes), k, guess, keys, room, chosen)
        sent[i] = 0
        for row in chosen:
            if width > 1:
                there[row] = table[row]
            else:
                sent[i, row] += x[i, row]
    return True


@njit(cache=True, nogil=True)
def sampled_blocks(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Blocks by lot, times a factor; how many there are, are taken, and their size."""
    if not all_finite(x):
        return False
    d, blocks, size = x.shape[1], numbers[3][0], numbers[3][2]
    room, chosen = room_for_lots(blocks), np.empty(numbers[3][1], np.int64)
    for i in range(x.shape[0]):
        lots_row(k0, k1, replica, first + i, chosen.shape[0], room, chosen)
        sent[i] = 0
        for b in chosen:
            for j in range(min(b * size, d), min((b + 1) * size, d)):
                sent[i, j] = x[i, j] * numbers[0][0]
    return True


@njit(cache=True, nogil=True)
def _ended(words, t):  # type: ignore[no-untyped-def]
    """The bytes of words to fold, whose last is the step: it and two brackets after the others."""
    digits, power = 1, 10
    while t >= power:
        digits, power = digits + 1, 10 * power
    ending = np.empty(words.shape[0] + digits + 2, np.int64)
    ending[: words.shape[0]], ending[-2:] = words, 41
    for e in range(digits):
        ending[ending.shape[0] - 3 - e] = 48 + t % 10
        t //= 10
    return ending


@njit(cache=True, nogil=True)
def one_block(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """One block, the same for all; how many there are, and their size. It is that of the step, or,
    with a key and what it is folded with but for the step, the first word of that key's."""
    if not all_finite(x):
        return False
    d, blocks, size = x.shape[1], numbers[3][0], numbers[3][1]
    b = t % blocks
    if numbers[3].shape[0] > 2:
        own, _ = folded(numbers[3][2], numbers[3][3], _ended(numbers[3][4:], t))
        b = own % blocks
    start, end = min(b * size, d), min((b + 1) * size, d)
    for i in range(x.shape[0]):
        sent[i] = 0
        for j in range(start, end):
            sent[i, j] = x[i, j]
    return True


@njit(cache=True, nogil=True)
def packets(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """All numbers times a factor but for packets that are lost by lot; how many there are, how many
    are lost, and their size."""
    count, size, factor = numbers[3][0], numbers[3][2], numbers[0][0]
    room, gone = room_for_lots(count), np.empty(numbers[3][1], np.int64)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            sent[i, j] = x[i, j] * factor
        if not all_finite(sent[i : i + 1]):
            return False
        if gone.shape[0] > 0:
            lots_row(k0, k1, replica, first + i, gone.shape[0], room, gone)
            lose_row(sent[i], gone, size)
    return True

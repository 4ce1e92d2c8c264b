"""Sketches and projections as parts of compiled steps: what is read of each row's message."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.drawn_sketch import (
    estimates_row,
    hashes_row,
    room_for_hashes,
    sketch_row,
)
from algorithms.kernels.key_words import folded
from algorithms.kernels.low_rank import orthonormal_into, product, transposed_into
from algorithms.kernels.philox import normals_into
from algorithms.kernels.row_parts import all_finite


@njit(cache=True, nogil=True)
def count_sketch(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Estimate of a row from its count sketch; rows and width of the sketch."""
    if not all_finite(x):
        return False
    rows, width = numbers[3][0], numbers[3][1]
    hashed, made = room_for_hashes(rows, x.shape[1]), np.empty((rows, width), x.dtype)
    table, found = np.empty((rows, 2 * width), x.dtype), np.empty(rows, x.dtype)
    for i in range(x.shape[0]):
        hashes_row(k0, k1, replica, first + i, 2 * width, hashed)
        sketch_row(x[i], hashed, made)
        estimates_row(made, hashed, table, found, sent[i])
    return True


@njit(cache=True, nogil=True)
def slice_projection(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Slices projected onto a basis; it and its transposed; length of a slice, and k."""
    if not all_finite(x):
        return False
    length, k, d = numbers[3][0], numbers[3][1], x.shape[1]
    count = -(-d // length)
    cut, made = np.zeros((1, count, length), x.dtype), np.empty((1, count, k), x.dtype)
    basis, back = numbers[0].reshape(1, length, k), numbers[1].reshape(1, k, length)
    there = cut.reshape(count * length)
    for i in range(x.shape[0]):
        there[:d] = x[i]
        there[d:] = 0
        product(cut, basis, made)
        product(made, back, cut)
        sent[i] = there[:d]
    return True


@njit(cache=True, nogil=True)
def _captured(m, q, restored):  # type: ignore[no-untyped-def]
    """Matrices ``[k, rows, columns]`` projected onto what Q ``[k, columns, r]`` shows of them."""
    (k, rows, columns), rank = m.shape, q.shape[2]
    seen, p = np.empty((k, rows, rank), m.dtype), np.empty((k, rows, rank), m.dtype)
    right, turned = np.empty((k, columns, rank), m.dtype), np.empty((k, rank, columns), m.dtype)
    product(m, q, seen)
    orthonormal_into(seen, p)
    transposed_into(m, p, right)
    for i in range(k):
        for j in range(columns):
            for c in range(rank):
                turned[i, c, j] = right[i, j, c]
    product(p, turned, restored)


@njit(cache=True, nogil=True)
def low_rank(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Matrices by power iteration. Of each in turn: how many integers speak of it, this one among
    them, its size, rows, columns, rank (0: as it is), and what its draws are folded with."""
    if not all_finite(x):
        return False
    plan, k, at, start = numbers[3], x.shape[0], 0, 0
    replicas, workers = np.full(k, replica), np.arange(first, first + k)
    while at < plan.shape[0]:
        size, rows, columns, rank = plan[at + 1], plan[at + 2], plan[at + 3], plan[at + 4]
        end = start + size
        if rank == 0:
            sent[:, start:end] = x[:, start:end]
        else:
            m, q = np.zeros((k, rows, columns), x.dtype), np.empty((k, columns, rank), x.dtype)
            flat = m.reshape(k, rows * columns)
            flat[:, :size] = x[:, start:end]
            own0, own1 = folded(k0, k1, plan[at + 5 : at + plan[at]])
            normals_into(own0, own1, replicas, workers, q.reshape(k, columns * rank))
            restored = np.empty((k, rows, columns), x.dtype)
            _captured(m, q, restored)
            sent[:, start:end] = restored.reshape(k, rows * columns)[:, :size]
        start, at = end, at + plan[at]
    return True

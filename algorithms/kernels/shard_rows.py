"""Gradients of workers who hold several shards, as parts of compiled steps."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.kernels.compiled import COMPILED, njit
from algorithms.kernels.key_words import fold_numbers, text_between
from algorithms.kernels.row_parts import RowPart, kinds, ready

if COMPILED:
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    from algorithms.kernels.pointers import PointerType

    @intrinsic
    def _gradient_at(context, address, x):  # type: ignore[no-untyped-def]
        """The gradient (kind of ``row_parts``) for rows of the type of x whose ``entry`` is
        ``address``: how a part calls another."""
        dtype = torch.float32 if x.dtype.bitwidth == 32 else torch.float64
        kind = PointerType(kinds(dtype)["gradient"])

        def made(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            told = cgutils.create_struct_proxy(kind)(context, builder)
            told.jit_addr = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
            return told._getvalue()

        return kind(address, x), made


_HEAD, _TAIL = text_between("shard")


@njit(cache=True, nogil=True)
def _share(numbers, s, shards):  # type: ignore[no-untyped-def]
    size = numbers.shape[0] // shards
    return numbers[s * size : (s + 1) * size]


@njit(cache=True, nogil=True, error_model="numpy")
def mean_of_shards(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """The mean of gradients of one part, whose numbers come once for each shard: where its function
    lies, and how many shards there are, are the last of the integers."""
    end = numbers[3].shape[0] - 2
    address, shards, ints = numbers[3][end], numbers[3][end + 1], numbers[3][:end]
    words, room = np.empty((shards, 2), np.int64), np.empty_like(g)
    part = _gradient_at(address, x)  # type: ignore[call-arg,var-annotated]
    fold_numbers(k0, k1, _HEAD, _TAIL, 0, words)
    words[0, 0], words[0, 1] = k0, k1
    g[:] = 0
    for s in range(shards):
        own = (
            _share(numbers[0], s, shards), _share(numbers[1], s, shards),
            _share(numbers[2], s, shards), _share(ints, s, shards), _share(numbers[4], s, shards),
        )  # fmt: skip
        part(own, x, words[s, 0], words[s, 1], replica, first, room if s > 0 else g)
        for i in range(g.shape[0] if s > 0 else 0):
            for j in range(g.shape[1]):
                g[i, j] = g[i, j] + room[i, j]
    count = g.dtype.type(shards)
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            g[i, j] = g[i, j] / count


@njit(cache=True, nogil=True)
def passed_round(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """Gradients of one part at shards that pass round a ring: worker i has the shard of worker
    i - s mod n, and its draws. After the part's own integers come sorted words of steps and their
    shifts s ``[T, 2]``, then T, n and where the part's function lies."""
    ints, end = numbers[3], numbers[3].shape[0] - 3
    steps, n, address = ints[end], ints[end + 1], ints[end + 2]
    start, wanted = end - 2 * steps, k0 | (k1 << 32)
    low, high = 0, steps - 1
    while low < high:
        half = (low + high) // 2
        if ints[start + 2 * half] < wanted:
            low = half + 1
        else:
            high = half
    shift = ints[start + 2 * low + 1]
    part = _gradient_at(address, x)  # type: ignore[call-arg,var-annotated]
    own = numbers[0], numbers[1], numbers[2], ints[:start], numbers[4]
    for i in range(g.shape[0]):
        at = x[i : i + 1] if x.shape[0] > 1 else x
        part(own, at, k0, k1, replica, (first + i + n - shift) % n, g[i : i + 1])


def in_turn(
    part: RowPart, words: NDArray[np.int64], shifts: NDArray[np.int64], n: int, dtype: torch.dtype
) -> RowPart:
    """The part at shards that pass round a ring of n workers, shifted by ``shifts`` ``[T]`` in
    steps whose draws have the key words ``words`` ``[T, 2]``."""
    key = words[:, 0] | (words[:, 1] << 32)
    table = np.stack((key, shifts), 1)[np.argsort(key)].reshape(-1)
    told = np.array((len(words), n, ready(part.function, "gradient", dtype).entry), np.int64)
    one, two, three, ints, reals = part.numbers
    whole = np.concatenate((ints, table, told))
    packed = one, two, three, whole, reals
    return part._replace(function=passed_round, numbers=packed, draws=True)

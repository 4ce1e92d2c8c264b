"""The uniforms of rows as a kernel takes them: given, or drawn row by row just before use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.philox import Counters, uniform_row, uniform_torch


class RowNumbers(NamedTuple):
    """Arguments of :func:`numbers_of_row` before the row's number.

    Attributes:
        given: uniforms ``[P, d]``; ``[1, d]``, room for a row, where they are drawn.
        drawn: whether they are.
        k0: first word of the key.
        k1: second word of the key.
        replicas: replica ids ``[P]``.
        workers: worker ids ``[P]``.
    """

    given: Any
    drawn: bool
    k0: int
    k1: int
    replicas: Any
    workers: Any


@njit(cache=True, nogil=True)
def numbers_of_row(given, drawn, k0, k1, replicas, workers, i):  # type: ignore[no-untyped-def]
    """Uniforms of row i, which the next row's may overwrite."""
    if drawn:
        uniform_row(k0, k1, replicas[i], workers[i], given[0])
        return given[0]
    return given[i]


def row_numbers(u: Tensor | Counters, shape: torch.Size, dtype: torch.dtype) -> RowNumbers:
    """Of uniforms that broadcast to rows ``[..., m, d]``, or of the counters of as many rows."""
    if isinstance(u, Counters):
        room = torch.empty((1, shape[-1]), dtype=dtype).numpy()
        return RowNumbers(room, True, u.k0, u.k1, u.replicas.numpy(), u.workers.numpy())
    given = u.expand(shape).reshape(-1, shape[-1]).contiguous().numpy()
    none = np.empty(0, dtype=np.int64)
    return RowNumbers(given, False, 0, 0, none, none)


def drawn_torch(u: Tensor | Counters, x: Tensor) -> Tensor:
    """The same numbers ``[..., m, d]`` for the twins."""
    if isinstance(u, Counters):
        return uniform_torch(*u, x.shape[-1], x.dtype).view(x.shape)
    return u


@njit(cache=True, nogil=True)
def _fill_side_by_side(keys, replicas, workers, out):  # type: ignore[no-untyped-def]
    for p in range(out.shape[0]):
        for b in range(out.shape[1]):
            uniform_row(keys[b, 0], keys[b, 1], replicas[p], workers[p], out[p, b], 0)


def uniform_side_by_side(counters: Sequence[Counters], count: int, dtype: torch.dtype) -> Tensor:
    """Uniforms ``[P, B, count]`` of the same P pairs under B keys, those of :func:`uniform_numba
    <algorithms.kernels.philox.uniform_numba>` for each."""
    keys = np.array([(one.k0, one.k1) for one in counters], dtype=np.int64)
    replicas, workers = counters[0].replicas, counters[0].workers
    out = torch.empty((replicas.numel(), len(counters), count), dtype=dtype)
    _fill_side_by_side(keys, replicas.numpy(), workers.numpy(), out.numpy())
    return out

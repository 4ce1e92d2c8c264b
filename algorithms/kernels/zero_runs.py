"""Runs of one byte value in rows of bytes below 243, shortened to a single byte (3LC).

Two to fourteen of them in a row become 243 to 255, as in Lim et al. 2018 (arXiv:1802.07389,
Section 3.3). What is on another device is moved here first: bytes are for the wire.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit

FIRST, LONGEST = 243, 14


@njit(cache=True, nogil=True)
def squeeze_into(rows, zero, out, sizes):  # type: ignore[no-untyped-def]
    """Codes of rows with runs of zeros joined, and how long each row is then."""
    for i in range(rows.shape[0]):
        at, j = 0, 0
        while j < rows.shape[1]:
            run = 0
            while run < LONGEST and j + run < rows.shape[1] and rows[i, j + run] == zero:
                run += 1
            if run >= 2:
                out[i, at] = np.uint8(FIRST + run - 2)
                j += run
            else:
                out[i, at] = rows[i, j]
                j += 1
            at += 1
        sizes[i] = at


@njit(cache=True, nogil=True)
def _spread(packed, sizes, zero, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        at = 0
        for j in range(sizes[i]):
            byte = packed[i, j]
            run = np.int64(byte) - FIRST + 2 if byte >= FIRST else 1
            for _ in range(run):
                if at >= out.shape[1]:
                    return i
                out[i, at] = zero if byte >= FIRST else byte
                at += 1
        if sizes[i] > 0 and at != out.shape[1]:
            return i
    return -1


def squeeze(rows: Tensor, zero: int) -> tuple[Tensor, Tensor]:
    """Bytes ``[P, count]`` with runs of ``zero`` shortened: ``[P, count]`` and sizes ``[P]``."""
    out = torch.zeros_like(rows)
    sizes = torch.zeros(rows.shape[0], dtype=torch.int64)
    squeeze_into(rows.contiguous().numpy(), np.uint8(zero), out.numpy(), sizes.numpy())
    return out, sizes


def sizes(rows: Tensor, zero: int) -> Tensor:
    """The sizes ``[P]`` of :func:`squeeze` of rows ``[P, count]``, where these lie."""
    return sizes_torch(rows, zero) if by_torch(rows) else squeeze(rows, zero)[1]


def sizes_torch(rows: Tensor, zero: int) -> Tensor:
    """The twin of :func:`sizes`, equal."""
    place = torch.arange(rows.shape[-1], device=rows.device).expand_as(rows)
    last = torch.where(rows != zero, place, -1).cummax(-1).values  # the last byte that is no zero
    return ((place - last - 1).clamp_min(0) % LONGEST == 0).sum(-1)


def spread(packed: Tensor, sizes: Tensor, zero: int, count: int) -> Tensor:
    """The inverse of :func:`squeeze`; a row of size 0 gives zeros.

    Raises:
        ValueError: a row does not spread to ``count`` bytes.
    """
    out = torch.zeros((packed.shape[0], count), dtype=torch.uint8)
    broken = _spread(
        packed.contiguous().numpy(), sizes.contiguous().numpy(), np.uint8(zero), out.numpy()
    )
    if broken >= 0:
        raise ValueError(f"row {broken} does not spread to {count} bytes")
    return out

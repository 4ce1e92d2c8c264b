"""Number of set entries of a mask."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def _counts(mask, out):  # type: ignore[no-untyped-def]
    for i in range(mask.shape[0]):
        row, total = mask[i], np.int64(0)
        for start in range(0, row.shape[0], 255):
            part, some = row[start : start + 255], np.uint8(0)
            for j in range(part.shape[0]):
                some = np.uint8(some + (part[j] != 0))
            total += np.int64(some)
        out[i] = total


def counts(mask: Tensor) -> Tensor:
    """Number of nonzero entries of masks ``[P, d]``, truths or bytes: ``[P]`` (int64)."""
    if by_torch(mask):
        return (mask != 0).sum(-1)
    out = torch.empty(mask.shape[0], dtype=torch.int64)
    _counts(mask.contiguous().view(torch.uint8).numpy(), out.numpy())
    return out

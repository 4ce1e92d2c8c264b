"""One random mask for all workers of a replica, as a part of compiled steps."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.mask_to_indices import drawn_row


@njit(cache=True, nogil=True)
def shared_mask(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """The coordinates of a mask that worker 0 draws; its limit, and the bits of a number."""
    limit, width = numbers[3][0], numbers[3][1]
    mask, good = np.empty(x.shape[1], np.bool_), True
    drawn_row(k0, k1, replica, 0, limit, mask)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            good &= np.isfinite(x[i, j])
            sent[i, j] = x[i, j] if mask[j] else x.dtype.type(0)
        bits[i] = width * mask.sum()
    return good

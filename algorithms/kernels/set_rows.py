"""Projections onto convex sets, as parts of compiled steps."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_norms import norms_into


@njit(cache=True, nogil=True, error_model="numpy")
def ball(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """Rows ``[k, d]`` onto the ball of a size around 0."""
    size, one = numbers[0][0], x.dtype.type(1)
    lengths = np.empty(x.shape[0], x.dtype)
    norms_into(x, lengths)
    for i in range(x.shape[0]):
        if lengths[i] > size:
            share = (one / lengths[i]) * size  # as torch divides a number by a tensor
            for j in range(x.shape[1]):
                x[i, j] = x[i, j] * share

"""Gaussian-k's threshold: one that a Gaussian would have, looked at a few times."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_norms import norms_into, signed_sum


@njit(cache=True, nogil=True)
def _count(row, threshold):  # type: ignore[no-untyped-def]
    count = np.int32(0)
    for j in range(row.shape[0]):
        count = np.int32(count + (np.float64(abs(row[j])) > threshold))
    return count


@njit(cache=True, nogil=True)
def moments_row(row, off, deviation):  # type: ignore[no-untyped-def]
    """Mean of a row ``[d]`` and ||row - mean||; ``off`` ``[1, d]`` and ``deviation`` ``[1]`` are
    room."""
    mean = signed_sum(row) / row.shape[0]
    for j in range(row.shape[0]):
        off[0, j] = np.float64(row[j]) - mean
    norms_into(off, deviation)
    return mean, deviation[0]


@njit(cache=True, nogil=True)
def _moments(x, mean, deviation):  # type: ignore[no-untyped-def]
    off, found = np.empty((1, x.shape[1])), np.empty(1)
    for i in range(x.shape[0]):
        mean[i], deviation[i] = moments_row(x[i], off, found)


@njit(cache=True, nogil=True)
def inspected_row(row, edge, k, looks):  # type: ignore[no-untyped-def]
    """The threshold after all but the last of so many looks at a row ``[d]``, ``edge`` at first."""
    for _ in range(looks - 1):
        count = _count(row, edge)
        if 3 * count < 2 * k:
            edge *= 0.5
        elif 3 * count > 4 * k:
            edge *= 1.5
        else:
            break
    return edge


@njit(cache=True, nogil=True)
def _looked(x, threshold, k, looks):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        threshold[i] = inspected_row(x[i], threshold[i], k, looks)


def moments(x: Tensor) -> tuple[Tensor, Tensor]:
    """Means and distances ||x - mean|| ``[..., m, 1]`` (float64) of rows on a CPU, in the order
    and with the bits of ``row_norms``."""
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    mean, deviation = (torch.empty((*x.shape[:-1], 1), dtype=torch.float64) for _ in range(2))
    _moments(rows.numpy(), mean.view(-1).numpy(), deviation.view(-1).numpy())
    return mean, deviation


def looked_at(x: Tensor, threshold: Tensor, k: int, looks: int) -> Tensor:
    """Thresholds ``[..., m, 1]`` (float64) after all but the last of so many looks, on a CPU.

    A look counts the magnitudes above; fewer than 2k/3 halve the threshold, more than 4k/3 raise it
    by half.
    """
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    found = threshold.expand(*x.shape[:-1], 1).clone()
    _looked(rows.numpy(), found.view(-1).numpy(), k, looks)
    return found

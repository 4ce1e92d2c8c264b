"""Errors of operators at a vector, behind published figures: exact ones, and means of draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.grid import GridCompressor
from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from theory.arrays import Floats

SEED = 0
ERROR = 1e-9
"""Probability that a mean's interval misses it, for means of nearly normal samples."""


class MeasuredMean(NamedTuple):
    """A mean of independent samples with its interval of Student's t at 1e-9.

    Attributes:
        mean: of the samples.
        low: lower end.
        high: upper end.
    """

    mean: float
    low: float
    high: float

    @classmethod
    def from_samples(cls, samples: Floats) -> MeasuredMean:
        """Of samples ``[S]``, S >= 2."""
        half = scipy.stats.t.isf(ERROR / 2, samples.size - 1) * samples.std(ddof=1)
        half /= np.sqrt(samples.size)
        mean = float(samples.mean())
        return cls(mean, mean - float(half), mean + float(half))


def exact_error(operator: GridCompressor, x: Tensor) -> float:
    """E||C(x) - x||^2 / ||x||^2 at ``x`` ``[d]``, off the grid's cells: (x - low) (high - x)."""
    low, high = operator.cells(x[None])
    return float(((x - low) * (high - x)).sum() / x.square().sum())


def outcomes(operator: Compressor, rows: Tensor, samples: int, seed: int = SEED) -> Tensor:
    """``samples`` outcomes ``[S, m, d]`` of rows ``[m, d]``."""
    draws = Key.seed(seed).fold("figure").draws(torch.arange(samples), torch.arange(len(rows)))
    with one_thread():
        return operator.compress(rows.expand(samples, -1, -1), draws)


def relative_error(operator: Compressor, x: Tensor, samples: int) -> MeasuredMean:
    """E||C(x) - x||^2 / ||x||^2 at ``x`` ``[d]``, of draws."""
    apart = outcomes(operator, x[None], samples)[:, 0] - x
    return MeasuredMean.from_samples((apart.square().sum(-1) / x.square().sum()).numpy())


def gaussian(d: int, seed: int = 1) -> Tensor:
    """One Gaussian vector ``[d]`` of numpy's generator with this seed."""
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(d))

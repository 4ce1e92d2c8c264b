"""What published figures are drawn of: operators' errors at a vector, and runs by step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, Self, final

import numpy as np
import scipy
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.grid import GridCompressor
from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from algorithms.methods.base import RunContext
from theory.arrays import Floats

# Errors of operators at a vector: exact ones, and means of draws.

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


# Results of a figure's run of a compressed method: errors and bits sent, by step.


@final
class ErrorPoint(NamedTuple):
    """One point of a run: the error after ``step`` steps, and bits sent per worker by then.

    Attributes:
        error: mean over runs, in the figure's measure.
        low: least of the runs; NaN: there is one.
        high: largest of the runs.
    """

    step: int
    error: float
    bits: float
    low: float = math.nan
    high: float = math.nan

    @classmethod
    def measured(cls, step: int, error: float, context: RunContext) -> Self:
        """Bits are those on the ledger of ``context``, mean over runs and workers."""
        sent = context.network.account((len(context.replicas),)).sent_bits.double().mean()
        return cls(step, error, float(sent))

    @classmethod
    def of_runs(cls, step: int, errors: Tensor, context: RunContext) -> Self:
        """The same of the errors ``[R]`` of several runs, with their range."""
        point = cls.measured(step, float(errors.mean()), context)
        return point._replace(low=float(errors.min()), high=float(errors.max()))


@final
class ErrorTrace(NamedTuple):
    """One line: errors ``[K]`` after ``steps`` ``[K]``, bits sent per worker by then ``[K]``.
    ``factor`` is what its stepsize was multiplied by; ``lost``: it was ended early, no better than
    at its start.

    Attributes:
        name: the method.
        error: in the figure's measure ``[K]``.
        low: least of the runs ``[K]``; NaN: there is one.
        high: largest of the runs ``[K]``.
    """

    name: str
    steps: Floats
    error: Floats
    bits: Floats
    low: Floats
    high: Floats
    lost: bool = False
    factor: float = 1.0

    @classmethod
    def from_points(
        cls, name: str, points: Iterable[ErrorPoint], *, lost: bool = False, factor: float = 1.0
    ) -> Self:
        """The line through all points of one run, at least one."""
        steps, error, bits, low, high = (np.array(c) for c in zip(*points, strict=True))
        return cls(name, steps, error, bits, low, high, lost, factor)

    def error_at(self, step: int) -> float:
        """Error after so many steps."""
        return float(self.error[np.searchsorted(self.steps, step)])

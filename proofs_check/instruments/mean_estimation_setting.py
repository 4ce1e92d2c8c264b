"""One mean of n rows as one step of a method: the stage of operators that estimate means.

On f_i(x) = ||x - b_i||^2 / 2 a step of size 1 from 0 ends at the mean of what the workers sent, so
that 2 (f - f*) is the squared error of the estimated mean.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from algorithms.catalogue import row
from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

REPLICAS = 32
"""How often a mean is estimated, where nothing else is said."""

_FULL = ConstantStep(1.0)


class Estimate(NamedTuple):
    """Cost and error of one estimated mean.

    Attributes:
        error: squared error ``[R]`` of the estimated mean.
        bits: what each worker sent, in the mean over workers ``[R]``.
    """

    error: Floats
    bits: Floats

    @property
    def product(self) -> Floats:
        """Error times bits ``[R]``: independent messages trade one for the other."""
        return self.error * self.bits


def normal_rows(n: int, d: int, *words: int | str) -> Tensor:
    """Standard normal rows ``[n, d]`` (float64), which ``words`` tell from others."""
    draws = Key.seed(0).fold("mean stage", *words).draws(torch.tensor(0), torch.arange(n))
    return draws.normal(d, torch.float64)


def by_row(key: str, rows: Tensor) -> Method[Any]:
    """The method of the catalogue's row ``key`` for the mean of ``rows`` ``[n, d]``."""
    return row(key).tune(_mean_of(rows), 1, _FULL).method


def by_operator(compressor: Compressor) -> Method[Any]:
    """A mean of what ``compressor`` makes of every row."""
    return BSP(_FULL, compressor)


def estimate(
    method: Method[Any], rows: Tensor, replicas: int = REPLICAS, seed: int = 0
) -> Estimate:
    """Error and bits of the mean of ``rows`` ``[n, d]`` in one step of a method of stepsize 1."""
    trace = run(method, _mean_of(rows), steps=1, replicas=replicas, seed=seed)
    return Estimate(2 * trace.suboptimality[:, -1], trace.sent_bits[:, -1])


def _mean_of(rows: Tensor) -> Quadratic:
    return Quadratic.from_arrays(torch.ones_like(rows), rows, name="mean of the workers' rows")

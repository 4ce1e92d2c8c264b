"""Results of a figure's run of a compressed method: errors and bits sent, by step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, Self, final

import numpy as np
from torch import Tensor

from algorithms.methods.base import RunContext
from theory.arrays import Floats


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

"""Exponents of a bound over the worst that was found: the lowest power law above all points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.optimize import linprog

from theory.arrays import Floats

_MOST, _GRAIN = 8.0, 2  # the largest exponent; halves
_SURE = 1e-9


class NoLaw(ValueError):
    """There is no law above what is needed; says why."""


@final
@dataclass(frozen=True)
class PowerLaw:
    """C times the product of factors to their exponents.

    Attributes:
        constant: C.
        exponents: in the order of the variables, halves.
        measured: the exponents before they were rounded.
    """

    constant: float
    exponents: tuple[float, ...]
    measured: tuple[float, ...]

    def at(self, factors: Floats) -> float:
        """Its value at one place ``[k]``."""
        return float(self.constant * np.prod(factors ** np.array(self.exponents)))


def lowest_law(factors: Floats, needed: Floats) -> PowerLaw:
    """The law above what is needed at places ``[N, k]``, with the least logarithm in the middle of
    the two hardest values of every factor; exponents rounded to halves, and the constant made anew
    with them, so that it lies above all the same.

    Raises:
        NoLaw: nothing is needed anywhere, or too much.
    """
    held = needed > 0
    if not held.any() or not np.isfinite(needed).all():
        raise NoLaw("what is needed must be finite, and positive somewhere")
    x, y = np.log(factors[held]), np.log(needed[held])
    k = x.shape[1]
    found = linprog(
        np.append(1.0, _hard(factors)), A_ub=-np.column_stack((np.ones(len(x)), x)),
        b_ub=-y, bounds=[(None, None), *[(0, _MOST)] * k],
    )  # fmt: skip
    measured = found.x[1:]
    exponents = np.round(_GRAIN * measured) / _GRAIN
    constant = math.exp(float((y - x @ exponents).max())) * (1 + _SURE)
    return PowerLaw(constant, tuple(exponents.tolist()), tuple(measured.tolist()))


def _hard(factors: Floats) -> Floats:
    """Logarithms ``[k]`` of where each factor is hard: what rules there rules beyond."""
    values = [np.unique(column)[-2:] for column in factors.T]
    return np.array([np.log(some).mean() for some in values])

"""Evidence of optimizers whose moments are compressed.

Instances of the closed forms: quadratics of two workers, and linear functions.
"""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.problems.quadratic import Quadratic


def rows_of(values: list[list[float]]) -> Tensor:
    """Rows of numbers ``[n, d]``, float64."""
    return torch.tensor(values, dtype=torch.float64)


CURVATURES = rows_of([[1.0, 0.5, 2.0, 0.25], [0.5, 1.5, 1.0, 0.75]])
CENTRES = rows_of([[1.0, -2.0, 0.5, 3.0], [-1.0, 1.0, 2.0, -0.5]])
UNEQUAL_PAIR = Quadratic.from_arrays(CURVATURES, CENTRES, name="two workers, four coordinates")
"""Two workers with Hessians and minimisers of their own, no noise, start at 0."""


def linear(g: list[float]) -> Quadratic:
    """One worker whose gradient is g everywhere, ``[d]``."""
    slope = rows_of([g])
    flat, origin = torch.zeros_like(slope), torch.zeros(len(g), dtype=torch.float64)
    return Quadratic(name="linear", a=flat, c=-slope, x_star=origin, x0=origin)


def in_single() -> Quadratic:
    """:data:`UNEQUAL_PAIR` in single precision, whose floats are 32 bits on the wire."""
    return Quadratic.from_arrays(CURVATURES.float(), CENTRES.float(), name=UNEQUAL_PAIR.name)

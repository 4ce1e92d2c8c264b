"""Local solves of a problem in blocks: what it publishes, or gradient steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from algorithms.kernels.local_solves import no_solve
from algorithms.kernels.row_parts import RowPart, numbers, ready
from algorithms.pipeline.base import Place
from algorithms.pipeline.gradients import exact_gradient
from algorithms.pipeline.server import NoRowKernel
from algorithms.problems.base import SOLVE_GRADIENTS, Problem


def local_solve(place: Place) -> tuple[tuple[Any, ...], RowPart]:
    """Function and numbers of the solve, of full gradients, the smoothness that steps of these take
    and how many there are, 0 where the solve is the problem's own: what ``solve_one`` takes. And
    the full gradients' part, which a block has among its ``sources``: they may be called back.

    Raises:
        NoRowKernel: neither is published.
    """
    problem, dtype, own = place.problem, place.problem.dtype, vars(type(place.problem))
    part = problem.proximal_row_kernel() if "proximal_row_kernel" in own else None
    gradient = exact_gradient(place)
    other = type(problem).proximal_point is not Problem.proximal_point
    inexact = part is None and "proximal_row_kernel" not in own and other
    if inexact or gradient is None or (gradient.keeps and not problem.rowwise):
        raise NoRowKernel
    kind = np.float32 if dtype == torch.float32 else np.float64
    solve, given = (no_solve, numbers(dtype)) if part is None else part[:2]
    taken = (
        ready(solve, "solve", dtype), given, ready(gradient.function, "gradient", dtype),
        gradient.numbers, kind(problem.solve_smoothness if part is None else 0.0),
        SOLVE_GRADIENTS if part is None else 0,
    )  # fmt: skip
    return taken, gradient

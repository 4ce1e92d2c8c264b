"""Large and growing batches under the bound of BSP-SGD with the noise of the smallest."""

from __future__ import annotations

from functools import partial

from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import MILD, mild, of_row
from theory.stepsizes import ScaledStep, Stepsize
from theory.theorems.bsp_nonconvex import bsp_nonconvex

_TIMES = 8  # how many base batches the catalogue's rows take


def _square_root(step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """The row's own multiple of a stepsize that is smaller by it: what is taken is ``step``."""
    return of_row("sqrt-scaling")(ScaledStep(step, 1 / _TIMES, 0.5), problem, steps)


BOUND_CHECKS: tuple[BoundCheck, ...] = tuple(
    BoundCheck(row, MILD, bsp_nonconvex, partial(mild, 4, 0.25), make, 300)
    for row, make in (
        ("sqrt-scaling", _square_root),
        ("batch-growth", of_row("batch-growth")),
        ("cr-psgd", of_row("cr-psgd")),
    )
)

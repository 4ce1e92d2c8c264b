"""Scaffnew under its bound, SCAFFOLD under that of perturbed iterates."""

from __future__ import annotations

from functools import partial
from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.drift.scaffnew import Scaffnew
from algorithms.problems.base import Problem
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    EQUAL_CURVATURES,
    LOGREG,
    SC,
    entry,
    equal_curvatures,
    linear,
    logreg,
)
from theory.stepsizes import Stepsize
from theory.theorems.scaffnew import scaffnew


def _half(step: Stepsize, _problem: Problem, _steps: int) -> Method[Any]:
    return Scaffnew(step, 0.5)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck("scaffnew", SC, scaffnew, entry(SC), _half, 500),
    BoundCheck(
        "scaffnew", EQUAL_CURVATURES, scaffnew, partial(equal_curvatures, 4, 1.0, 1.0), _half, 500
    ),
    BoundCheck("scaffnew", LOGREG, scaffnew, logreg(8), _half, 500),
    BoundCheck("scaffnew", "quadratic-unequal", scaffnew, entry("quadratic-unequal"), _half, 800),
    linear("scaffold", 1000),
)  # fmt: skip

"""LAG under its bound, by either rule."""

from __future__ import annotations

from functools import partial

from algorithms.methods.lazy.lag import LAG
from algorithms.problems.base import Problem
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.least_squares_data import rising
from algorithms.synchronisation.lazy import ServerRule
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import MILD, NONCONVEX, RISING, entry, mild
from theory.stepsizes import Stepsize
from theory.theorems.lag_nonconvex import lag_nonconvex
from theory.theorems.lag_pl import lag_pl

_WEIGHTS = (0.05,) * 10


def _by_server(step: Stepsize, problem: Problem, _steps: int) -> LAG:
    assert isinstance(problem, LeastSquares)
    return LAG(step, ServerRule(problem.smoothness), _WEIGHTS)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "lag", NONCONVEX, lag_nonconvex, entry(NONCONVEX),
        lambda step, _p, _t: LAG(step, weights=_WEIGHTS), 400,
    ),
    BoundCheck("lag", f"{RISING}, server's rule", lag_nonconvex, rising, _by_server, 400),
    BoundCheck(
        "lag", MILD, lag_pl, partial(mild, 4, 0.25),
        lambda step, _p, _t: LAG(step, weights=_WEIGHTS), 100,
    ),
)  # fmt: skip

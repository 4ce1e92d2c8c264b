"""Large and growing batches under the bound of BSP-SGD with the noise of the smallest."""

from __future__ import annotations

from functools import partial

from algorithms.catalogue.large_batch import LAST_BATCH
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import MILD, mild, of_row
from theory.constants import Constants, Kind, Statement
from theory.rules.batch_rules import SteadyBatch
from theory.stepsizes import GradualWarmUpStep, ScaledStep, Stepsize, WarmUpStep
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.cr_psgd import cr_psgd
from theory.theorems.gradual_warm_up_strongly_convex import gradual_warm_up_strongly_convex
from theory.theorems.warm_up_strongly_convex import warm_up_strongly_convex

_TIMES = 8  # how many base batches the catalogue's rows take


def _square_root(make: Make, step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """The row's own multiple of a stepsize that is smaller by it: what is taken is ``step``."""
    return make(ScaledStep(step, 1 / _TIMES, 0.5), problem, steps)


_SMALLEST = tuple(
    BoundCheck(row, MILD, bsp_nonconvex, partial(mild, 4, 0.25), make, 400, rated=True)
    for row, make in (
        ("sqrt-scaling", partial(_square_root, of_row("sqrt-scaling"))),
        ("batch-growth", of_row("batch-growth")),
        ("cr-psgd", of_row("cr-psgd")),
    )
)


def _linear(make: Make, step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """The row's warm-up takes the base stepsize to eight times it."""
    base = step.rule if isinstance(step, GradualWarmUpStep) else step
    return make(base, problem, steps)


def _legw(make: Make, step: Stepsize, problem: Problem, steps: int) -> Method[object]:
    """The row's warm-up ends at sqrt(8) times the stepsize that it is given."""
    last = step.rule if isinstance(step, WarmUpStep) else step
    return make(ScaledStep(last, 1 / _TIMES, 0.5), problem, steps)


_ROUNDS = 200


def _growing(_problem: Problem) -> Constants:
    """The ratio at which the row's batches grow to the last of so many rounds."""
    rule = SteadyBatch(_ROUNDS, LAST_BATCH)
    known = Statement(Kind.LOWER, f"the first {_ROUNDS} steps", "a power, floored")
    return Constants().state(known, growth=(rule.last / rule.first) ** (1 / (_ROUNDS - 1)))


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    *_SMALLEST,
    BoundCheck(
        "cr-psgd", MILD, cr_psgd, partial(mild, 8, 0.25), of_row("cr-psgd"), _ROUNDS, _growing
    ),
    # horizons whose tenth is as long as the rows' warm-ups
    BoundCheck(
        "linear-scaling",
        MILD,
        gradual_warm_up_strongly_convex,
        partial(mild, 4, 0.25),
        partial(_linear, of_row("linear-scaling")),
        400,
    ),
    BoundCheck(
        "legw",
        MILD,
        warm_up_strongly_convex,
        partial(mild, 4, 0.25),
        partial(_legw, of_row("legw")),
        640,
    ),
)

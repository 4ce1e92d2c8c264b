"""A descent of workers that differ, and what it costs in bits: the stage of compressed gradients.

At the optimum the gradients of single workers do not vanish: what an operator gets wrong there
keeps the model away, unless it is right on average or made good later. With noise in the gradients
full ones need small stepsizes too, so that each side is compared at its own best stepsize.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments import tuned_arm
from proofs_check.instruments.measurement import Measurement
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from theory.stepsizes import ConstantStep, Stepsize

N, D, STEPS = 8, 64, 200
STEP = ConstantStep(0.1)
REPLICAS = 32
"""Of a method that draws numbers; the others run once."""


ABOUT = f"quadratic-unequal with d = {D} and condition number 10 at most, no noise"
ABOUT_ALIKE = f"quadratic-sc-iid with d = {D}, no noise"


GRID = (0.06, 0.12, 0.25, 0.5, 1.0)
"""Stepsizes that a tuned side chooses from."""


@cache
def problem(sigma2: float = 0.0) -> Quadratic:
    """:data:`N` workers with Hessians and minimisers of their own, noise sigma2 [f^2 / x^2]."""
    return unequal(N, D, sigma2=sigma2, ratio=10.0)


def by_row(key: str, step: Stepsize = STEP) -> Method[Any]:
    """The method of the catalogue's row ``key`` on this stage."""
    return row(key).tune(problem(), STEPS, step).method


def descent(
    method: Method[Any], replicas: int = 1, steps: int = STEPS, on: Quadratic | None = None,
    seed: int = tuned_arm.MEASURED_ON,
) -> Trace:  # fmt: skip
    """A run of which every step is recorded."""
    stage = problem() if on is None else on
    return run(method, stage, steps=steps, seed=seed, replicas=replicas, points=steps + 1)


def _near(found: Measurement, target: float) -> Measurement:
    """Drawn until a hundredth of the target."""
    end = int((found.y.mean(axis=0) > target / 100).sum()) + 1
    return found._replace(x=found.x[:end], y=found.y[:, :end])


def bits_until(target: float, cost: str = "sent_bits") -> Reading:
    """Bits until f - f* is at most ``target``, drawn until a hundredth of it."""
    return Reading(cost, target=target, shown=partial(_near, target=target))


UNEQUAL = Setting(ABOUT, partial(unequal, sigma2=0.0, ratio=10.0), N, STEPS, GRID, d=D)
"""Workers with Hessians and minimisers of their own, gradients without noise."""

EQUAL_CURVATURES = Setting(
    ABOUT_ALIKE, partial(Quadratic.strongly_convex, sigma2=0.0), N, STEPS, (0.25, 0.5, 1.0, 1.8),
    d=D,
)  # fmt: skip
"""Workers with one objective, gradients without noise."""


SLOW = Setting(
    f"quadratic of condition number 100, d = {D}, minimisers that differ, no noise",
    partial(Quadratic.strongly_convex, mu=0.01, sigma2=0.0, zeta2=1.0), N, 800,
    (0.25, 0.5, 1.0, 1.8), d=D,
)  # fmt: skip
"""Workers that differ where gradient descent takes tens of steps to an accuracy, not two."""


def noisy(sigma2: float) -> Setting:
    """Setting :data:`UNEQUAL` with noise ``sigma2`` in a gradient [f^2 / x^2], each arm at its best
    stepsize of :data:`GRID`."""
    title = f"quadratic-unequal with d = {D} and condition number 10 at most, sigma2 = {sigma2:g}"
    return Setting(
        title, partial(unequal, sigma2=sigma2, ratio=10.0), N, STEPS, GRID, REPLICAS, d=D
    )

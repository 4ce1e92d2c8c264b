"""Attacked claim: a theorem, its method, and the instances that it allows; one's own theorems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, final

from algorithms.catalogue import row as catalogued
from algorithms.core.names import look_up
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.bounds.check import Make, nothing_more
from proofs_check.refute.formula import Condition, Formula, StatedTheorem
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric, Order, Theorem

WORKERS = (1, 2, 3, 4)
DIMENSIONS = (1, 2)
PROBE = ConstantStep(1.0)
"""Constants of a method do not depend on its stepsize."""


@final
@dataclass(frozen=True)
class Claim:
    """``theorem`` of the method ``make(step, problem, steps)``, for every instance it allows.

    ``states(problem)`` is what is true of the method beside its own constants; it may only say what
    holds for each of ``workers`` and ``dimensions``. ``fixed``: the method's parts stay as they are
    made, since what is stated speaks of them.

    Attributes:
        name: the theorem's, and the row's where a theorem speaks of several.
        row: key of the catalogue's row that the method is; empty for a method of one's own.
        one_objective: whether all workers have one objective.
        problem: a problem of the catalogue or a setting that it was held against; None: none.
        here: whether what is stated is of ``problem`` alone, such as the noise of a grid that no
            step of its runs leaves.
        after: the number of steps from which on ratios count.
        horizon: length of all runs, where the method has a warm-up of its own that the theorem's
            has for this length alone; 0: any.
    """

    name: str
    theorem: Theorem
    make: Make
    states: Callable[[Problem], Constants] = nothing_more
    workers: tuple[int, ...] = WORKERS
    dimensions: tuple[int, ...] = DIMENSIONS
    row: str = ""
    one_objective: bool = False
    fixed: bool = False
    problem: Callable[[], Problem] | None = None
    horizon: int = 0
    here: bool = False
    after: int = 0

    def constants(self, method: Method[Any], problem: Problem) -> Constants:
        """Known constants of method and problem."""
        return method.constants(problem).merge(self.states(problem)).completed()

    def about(self, theorem: Theorem) -> Claim:
        """The same of another theorem."""
        return replace(self, theorem=theorem, name=theorem.name)


def restrictions(claim: Claim) -> Iterator[tuple[bool, bool]]:
    """Whether workers are alike and gradients exact: the fewest such assumptions first."""
    for quiet in (False, True):
        for similar in (True,) if claim.one_objective else (False, True):
            yield similar, quiet


def sizes(claim: Claim) -> Iterator[tuple[int, int]]:
    """Numbers of workers and dimensions that are tried; of the most workers the cheapest last."""
    for n in claim.workers:
        for d in sorted(claim.dimensions, reverse=True):
            yield n, d


# Theorems of one's own: a claim from its bound, metric and stepsizes, in a call.


def claim(
    name: str,
    *,
    method: str | Make,
    bound: Formula,
    metric: Metric | str = Metric.AVERAGE_SQUARED_GRADIENT,
    limit: Formula | None = None,
    stepsize: Formula | None = None,
    assumes: tuple[Condition, ...] = (),
    needs: tuple[str, ...] = (),
    workers: tuple[int, ...] = WORKERS,
    dimensions: tuple[int, ...] = DIMENSIONS,
    one_objective: bool = False,
    changing_network: bool = False,
    order: Mapping[str, float] | None = None,
) -> Claim:
    """A theorem of one's own: E ``metric`` <= ``bound`` after each T, for every constant stepsize
    gamma up to ``limit``, or for ``stepsize`` alone.

    ``metric`` may be its name in small letters. ``method`` is a row's key, or a function (step,
    problem, steps) that makes one. Formulas are text or sympy expressions in the names of
    ``theory.constants``, gamma and T, or functions (constants, gamma, T), whose constants are named
    in ``needs``. ``assumes`` are inequalities. ``changing_network``: W may be another in every
    round, lam being the largest of all rounds'. ``order`` has the exponents of the bound's leading
    term, as ``{"T": -0.5, "n": -0.5}``: measured rates are set beside them.

    Raises:
        ValueError: neither or both of limit and stepsize, an unknown row or metric, or a formula
            that cannot be read.
    """
    if isinstance(metric, str):
        metric = look_up("metric", metric, {one.name.lower(): one for one in Metric})
    theorem = StatedTheorem.from_text(
        name, metric, bound, limit, stepsize, assumes, needs, changing_network,
        Order({one: Fraction(power).limit_denominator(60) for one, power in (order or {}).items()}),
    )  # fmt: skip
    make = catalogued(method).ready().build if isinstance(method, str) else method
    key = method if isinstance(method, str) else ""
    return Claim(
        name, theorem, make, workers=workers, dimensions=dimensions, row=key,
        one_objective=one_objective,
    )  # fmt: skip

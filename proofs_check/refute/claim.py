"""Attacked claim: a theorem, its method, and the instances that it allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, final

from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.bounds.check import Make, nothing_more
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Theorem

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

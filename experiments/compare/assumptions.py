"""Theorems that apply to a problem: by its statements, by findings along runs; and why not.

Each theorem is asked through the first row that it is stated of, so that what it asks of method and
network is given; one that no row has, at its own example's. What is then lacking is the problem's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

from algorithms.catalogue import FORMS, METHODS, Row
from algorithms.problems.base import Problem
from experiments.compare.inapplicable_theorems import broken
from proofs_check.problems.estimates import ConstantEstimate
from proofs_check.problems.stating import StatedProblem
from theory.constants import Constants, Kind, Statement
from theory.theorem import Theorem
from theory.theorems import PROVED_ONLY, THEOREMS

OF_PROBLEM = (
    "n", "d", "L", "mu", "sigma2", "zeta2", "G2", "initial_gap", "R2", "f_star", "convex", "pl",
    "L_max", "mu_min", "L_one", "sigma_one", "symmetric_noise", "lipschitz", "zeta2_star",
    "diameter",
)  # fmt: skip
"""Constants that a problem states; the others are those of method and network."""

_ALONG = Statement(Kind.MEASURED, "points of runs", "the extreme found along runs")


@final
@dataclass(frozen=True)
class UnmetAssumptions:
    """Unmet needs of a theorem: constants without a value, and assumptions that fail.

    Attributes:
        missing: names of constants.
        violated: a sentence for each assumption that fails.
    """

    missing: tuple[str, ...] = ()
    violated: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.violated)


@final
@dataclass(frozen=True)
class Applicability:
    """One theorem and one problem.

    Attributes:
        theorem: the theorem.
        row: key of the row that it was asked through; empty: at its own example.
        stated: what it lacks by the constants that are stated.
        leans_on: measured constants that it would apply with; empty where it applies without.
        measured: what it lacks even then.
    """

    theorem: Theorem
    row: str
    stated: UnmetAssumptions
    leans_on: tuple[str, ...] = ()
    measured: UnmetAssumptions = UnmetAssumptions()

    @property
    def standing(self) -> str:
        """``applies``, ``applies along runs`` or ``does not apply``."""
        if not self.stated:
            return "applies"
        return "does not apply" if self.measured else "applies along runs"


def measured_constants(stated: Constants, found: Iterable[ConstantEstimate]) -> Constants:
    """Stated constants, and where none are, the extremes along runs as if they were constants.

    No mu, mu_min or pl of a function for which none above 0 was found; every f_i is taken as convex
    where no curvature below 0 was seen.
    """
    c = stated
    for one in found:
        if one.name == "mu_min" and c.convex is None:
            c = c.state(_ALONG, convex=one.along >= -one.slack)
        below = one.name in ("mu", "mu_min", "pl") and one.along <= one.slack
        if getattr(c, one.name) is None and not below:
            c = c.state(_ALONG, **{one.name: one.along})
    return c


def applicability(
    problem: Problem, found: Iterable[ConstantEstimate], steps: int
) -> Iterator[Applicability]:
    """Every theorem of the project that asks something of a problem, on one problem.

    Those of averaging alone ask nothing of it but n and d.
    """
    stated = problem.constants()
    wide = measured_constants(stated, found)
    fresh = set(wide.completed().stated()) - set(stated.completed().stated())
    for theorem in (*THEOREMS, *PROVED_ONLY):
        if not set(theorem.needs) & set(OF_PROBLEM) - {"n", "d"}:
            continue
        row = _row_of(theorem)
        key = "" if row is None else row.key
        lacks = _lacks(theorem, row, StatedProblem(problem, stated), steps)
        if not lacks:
            yield Applicability(theorem, key, lacks)
            continue
        then = _lacks(theorem, row, StatedProblem(problem, wide), steps)
        leans = () if then else tuple(name for name in theorem.needs if name in fresh)
        yield Applicability(theorem, key, lacks, leans, then)


def _row_of(theorem: Theorem) -> Row | None:
    """The first row that the theorem is stated of; rather one that it tunes."""
    rows = (*METHODS, *FORMS.values())
    tuned = (row for row in rows if theorem in row.theorems)
    return next(tuned, None) or next((row for row in rows if theorem in row.results), None)


def _lacks(theorem: Theorem, row: Row | None, told: StatedProblem, steps: int) -> UnmetAssumptions:
    """Unmet needs of a theorem where a problem states what ``told`` does."""
    c = theorem.example.without(*OF_PROBLEM).merge(told.constants()).completed()
    if row is not None and theorem in row.theorems:
        try:
            c = row.tune(told, steps).method.constants(told).completed()
        except (ValueError, TypeError, AttributeError) as error:
            return UnmetAssumptions(violated=(f"{row.key} is not made for it: {error}",))
    missing = c.missing(theorem.needs)
    return (
        UnmetAssumptions(missing=missing)
        if missing
        else UnmetAssumptions(violated=broken(theorem, c, steps))
    )

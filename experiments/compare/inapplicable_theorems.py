"""Theorems of a row that do not apply to a run, and what each lacks."""

from __future__ import annotations

from algorithms.catalogue import Row
from algorithms.problems.base import Problem
from theory.constants import Constants, MissingConstants
from theory.stepsizes import Stepsize
from theory.theorem import Theorem, missing_sentence


def uncovered(
    row: Row, problem: Problem, steps: int, step: Stepsize | None = None
) -> tuple[str, ...]:
    """Reasons why some of the row's theorems do not apply to this run: one sentence each.

    Where no ``step`` is given, each theorem is asked about the one it prescribes.

    Raises:
        ValueError: the row is planned.
    """
    asked = broken_assumptions(row, problem, steps, step)
    return tuple(f"{theorem.title}: {'; '.join(why)}" for theorem, why in asked if why)


def broken_assumptions(
    row: Row,
    problem: Problem,
    steps: int,
    step: Stepsize | None = None,
    *,
    everything: bool = False,
) -> tuple[tuple[Theorem, tuple[str, ...]], ...]:
    """Each of the row's theorems with what it lacks on a problem; nothing where it covers the run.

    Where no ``step`` is given, each is asked about the one it prescribes. ``everything``: also
    theorems that are stated of the row but tune no run of it.

    Raises:
        ValueError: the row is planned.
    """
    constants = row.tune(problem, steps).method.constants(problem).completed()
    others = (one for one in row.results if isinstance(one, Theorem)) if everything else ()
    return tuple(
        (theorem, broken(theorem, constants, steps, step)) for theorem in (*row.theorems, *others)
    )


def broken(
    theorem: Theorem, constants: Constants, steps: int, step: Stepsize | None = None
) -> tuple[str, ...]:
    """Unmet needs of a theorem for these constants, at its own stepsize without a ``step``."""
    lacking = missing_sentence(theorem, constants)
    if lacking:
        return lacking
    try:
        return theorem.violations(constants, step or theorem.stepsize(constants, steps), steps)
    except MissingConstants as error:
        return (str(error),)

"""Tuning of a row for a single run: by its theorem, by a grid, or by a stepsize."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from algorithms.catalogue import Row, Tuned
from algorithms.problems.base import Problem
from algorithms.tuning.grid import SEED, Best, Budget, fewest_places
from algorithms.tuning.parameters import Settings, with_settings
from algorithms.tuning.stored import best_of, kept
from theory.stepsizes import ConstantStep, Stepsize


class Tuning(StrEnum):
    """Source of the stepsize and parameters of a row."""

    THEOREM = "theorem"
    GRID = "grid"


def usual(row: Row) -> Tuning:
    """Default tuning of a run: the grid where a theorem asks for parameters
    at which hardly anything happens, so that users take others; else the theorem.

    Raises:
        ValueError: the row is planned.
    """
    return Tuning.THEOREM if row.ready().practice is None else Tuning.GRID


class Chosen(NamedTuple):
    """A row with the parameters of its run.

    Attributes:
        row: the row, its settings made.
        step: the stepsize that was chosen; None: what the row's theorem, or a cautious rule, says.
        note: what tuned it, in words.
    """

    row: Row
    step: Stepsize | None
    note: str

    def tuned(self, problem: Problem, steps: int) -> Tuned:
        """The method for so many steps."""
        return self.row.tune(problem, steps, self.step)


def chosen(
    row: Row,
    problem: Problem,
    tuning: Tuning,
    *,
    seed: int,
    gamma: float | None = None,
    settings: Settings | None = None,
    steps: int = 1000,
    guess: bool = True,
    announce: Callable[[str], object] = str,
) -> Chosen:
    """The row as it is to be run: what is set by hand goes before what a tuning says.

    Where no theorem tunes a run of so many ``steps``, the grid's best does if it is stored; else a
    cautious guess, or with ``guess=False`` the grid is searched now, so that nothing is ranked by a
    guess. ``announce`` hears of a search before it begins.

    Raises:
        ValueError: the row is planned; a parameter or stepsize that cannot be; or ``seed`` is the
            one that the grid's best was decided on.
    """
    step = None if gamma is None else positive(gamma)
    mine = dict(settings or {})
    by_hand = with_settings(row, mine)
    if step is not None:
        return Chosen(by_hand, step, "")
    if tuning is Tuning.THEOREM:
        tuned = by_hand.tune(problem, steps)
        if tuned.theorem is not None or tuned.stepless or (guess and kept(row, problem) is None):
            return Chosen(by_hand, None, "")
    if seed == SEED:
        raise ValueError(
            f"seed={seed} is the one that the grid's tunings were decided on; another would do"
        )
    best, stored = _best_of(row, problem, announce)
    note = best.description if stored else f"{best.description}; searched now"
    if tuning is Tuning.THEOREM:
        note = f"no theorem applies; {note}"
    return Chosen(with_settings(row, {**best.settings, **mine}), best.step(problem), note)


def _best_of(row: Row, problem: Problem, announce: Callable[[str], object]) -> tuple[Best, bool]:
    """Call :func:`~algorithms.tuning.stored.best_of`; a search takes seconds to minutes, and says
    so."""
    if kept(row, problem) is None:
        each = Budget()
        announce(
            f"no grid tuning of {row.key} on {problem.name} with these parameters and n is kept: "
            f"searching {fewest_places(row, problem)} places or more, {each.replicas} runs of "
            f"{each.gradients} gradients a worker each"
        )
    return best_of(row, problem)


def sweeping_step(
    row: Row,
    objective: Problem,
    steps: int,
    tuning: Tuning,
    gamma: float | None = None,
    announce: Callable[[str], object] = str,
) -> Stepsize | None:
    """The stepsize at all points of a sweep, None where a theorem tunes each: a guess that nobody
    searched would rule the exponent, so that what is stored of the grid stands in for it.
    ``announce``
    hears of a search before it begins.

    Raises:
        ValueError: gamma is not positive and finite, the row is planned or has no tuning.
    """
    if gamma is not None:
        return positive(gamma)
    if tuning is Tuning.GRID:
        return _best_of(row, objective, announce)[0].step(objective)
    best = None if row.tune(objective, steps).theorem is not None else kept(row, objective)
    return None if best is None else best.step(objective)


def positive(gamma: float, tuning: str | None = None) -> ConstantStep:
    """A constant stepsize as it was typed; ``tuning`` is what was asked for beside it.

    Raises:
        ValueError: not positive and finite, so small that products with it lose their digits, or a
            grid is asked for too, which would choose another.
    """
    if not 0 < gamma < math.inf:
        raise ValueError(
            f"gamma must be positive and finite, got gamma={gamma}; without --gamma a theorem, or "
            "a cautious rule, sets it"
        )
    if gamma < sys.float_info.min:
        raise ValueError(
            f"gamma must be at least {sys.float_info.min:.3g}, the least number with all its "
            f"digits, got gamma={gamma}"
        )
    if tuning == Tuning.GRID:
        raise ValueError(
            f"gamma or tuning=grid sets the stepsize, got gamma={gamma} and tuning={tuning}; one "
            "of them would do"
        )
    return ConstantStep(gamma)


def read_settings(words: Sequence[str]) -> Mapping[str, str]:
    """``NAME=VALUE`` each, as they are typed.

    Raises:
        ValueError: a word without a name or a value, or a name twice.
    """
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name.strip() and equals and value.strip()):
            raise ValueError(f"--set must be NAME=VALUE, as in --set period=4, got {word!r}")
        if name.strip() in found:
            raise ValueError(f"--set names {name.strip()!r} twice; once would do")
        found[name.strip()] = value.strip()
    return found

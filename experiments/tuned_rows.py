"""How a row is tuned for a run of one's own: by its theorem, by a grid, or by a stepsize."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from algorithms.catalogue import Row, Tuned
from algorithms.problems.base import Problem
from algorithms.tuning.grid import SEED
from algorithms.tuning.parameters import Settings, with_settings
from algorithms.tuning.stored import best_of
from theory.stepsizes import ConstantStep, Stepsize


class Tuning(StrEnum):
    """Which stepsize and parameters a row runs with."""

    THEOREM = "theorem"
    GRID = "grid"


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
) -> Chosen:
    """The row as it is to be run: what is set by hand goes before what a tuning says.

    Raises:
        ValueError: the row is planned; a parameter or stepsize that cannot be; or ``seed`` is the
            one that the grid's best was decided on.
    """
    step = None if gamma is None else positive(gamma)
    mine = dict(settings or {})
    if tuning is Tuning.THEOREM or step is not None:
        return Chosen(with_settings(row, mine), step, "")
    if seed == SEED:
        raise ValueError(
            f"seed={seed} is the one that the grid's tunings were decided on; another would do"
        )
    best, stored = best_of(row, problem)
    found = ", ".join(f"{name} = {value:g}" for name, value in best.settings.items())
    note = f"best of {best.places} places of a grid" + ("" if stored else ", searched now")
    tuned = with_settings(row, {**best.settings, **mine})
    return Chosen(tuned, best.step(problem), f"{note}: {found}" if found else note)


def positive(gamma: float) -> ConstantStep:
    """A constant stepsize as it was typed.

    Raises:
        ValueError: not positive and finite.
    """
    if not 0 < gamma < math.inf:
        raise ValueError(
            f"gamma must be positive and finite, got gamma={gamma}; without --gamma a theorem, or "
            "a cautious rule, sets it"
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

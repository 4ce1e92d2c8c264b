"""A method with its stepsize, and the stepsize that a theorem prescribes."""

from __future__ import annotations

from typing import Any, NamedTuple

from algorithms.methods.base import Method
from theory.constants import Constants, MissingConstants
from theory.stepsizes import Stepsize
from theory.theorem import Theorem


class Tuned(NamedTuple):
    """A method ready to run, with the theorem that set its stepsize (None: the cautious rule).

    Attributes:
        step: the stepsizes that were chosen [x^2 / f].
        stepless: whether the method takes no stepsize, whatever ``step`` says.
        note: the cautious rule in words and numbers, where it set the stepsize.
    """

    method: Method[Any]
    step: Stepsize
    theorem: Theorem | None
    stepless: bool = False
    note: str = ""

    @property
    def step_text(self) -> str:
        """The stepsize in words."""
        return "no stepsize" if self.stepless else str(self.step)


def prescribed(theorem: Theorem, c: Constants, steps: int) -> Stepsize | None:
    """The theorem's stepsize, if it knows the constants that it needs for it."""
    if c.missing(theorem.needs):
        return None
    try:
        return theorem.stepsize(c, steps)
    except MissingConstants:
        return None

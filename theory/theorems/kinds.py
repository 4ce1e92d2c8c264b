"""Theorems by the kind of stepsize they are about, and the order in which assumptions are asked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar, final

import numpy as np

from theory.arrays import Floats
from theory.constants import Constants, Inapplicable, MissingConstants
from theory.ranges import impossible
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep, Stepsize
from theory.theorem import Theorem, missing_sentence
from theory.theorems.conditions import Condition, failures

S = TypeVar("S", bound=Stepsize)
N = TypeVar("N")


class OneKind(Theorem, Generic[S]):
    """A theorem about stepsizes of one ``kind``, which ``wanted`` says in words.

    What a member is handed states all that follows from what is stated (Constants.completed). Where
    its formulas have no number, ``stepsize`` and ``bound`` raise
    :class:`~theory.constants.Inapplicable`, which names the constant that is out of its range
    (:mod:`theory.ranges`) or the premise that fails.
    """

    kind: type[S]
    wanted: str

    @final
    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        known = c.completed()
        missing = missing_sentence(self, known)
        if missing:
            return missing
        if not isinstance(step, self.kind):
            return (self._about(step),)
        return self._refused(known) or _failing(lambda: self.conditions(known, step))

    @final
    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        if horizon < 1:
            raise ValueError(f"horizon must be at least 1 step, got horizon={horizon}")
        known = c.completed()
        return self._number(known, lambda: self.prescribed(known, horizon))

    @final
    def bound(self, c: Constants, step: Stepsize, times: Floats) -> Floats:
        known, own, t = c.completed(), self.own(step), np.asarray(times, dtype=np.float64)
        with np.errstate(all="ignore"):
            curve = self._number(known, lambda: self.curve(known, own, t))
        if np.isnan(curve).any() or np.isinf(curve[t > 0]).any():
            raise self._without_number(known, f"its bound at {step} is no finite number")
        return curve

    @final
    def own(self, step: Stepsize) -> S:
        """The stepsize, known to be of the theorem's kind.

        Raises:
            TypeError: it is of another kind.
        """
        if not isinstance(step, self.kind):
            raise TypeError(self._about(step))
        return step

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        """Conditions on the constants, without which none on the stepsize is asked for."""
        return ()

    def conditions(self, c: Constants, step: S) -> tuple[Condition, ...]:
        """Conditions on the stepsize."""
        return ()

    @abstractmethod
    def prescribed(self, c: Constants, horizon: int) -> S:
        """The rule for ``horizon`` >= 1 steps."""

    @abstractmethod
    def curve(self, c: Constants, step: S, times: Floats) -> Floats:
        """The bound on ``metric`` after each of ``times`` steps."""

    def _refused(self, c: Constants) -> tuple[str, ...]:
        """Sentences on constants that cannot be, or else on premises that fail."""
        return impossible(c, self.needs) or _failing(lambda: self.premises(c))

    def _number(self, c: Constants, formula: Callable[[], N]) -> N:
        out_of_range = impossible(c, [name for name in self.needs if not c.missing([name])])
        if out_of_range:
            raise Inapplicable("; ".join(out_of_range))
        try:
            return formula()
        except MissingConstants:
            raise
        except (ArithmeticError, ValueError) as error:
            raise self._without_number(c, str(error)) from error

    def _without_number(self, c: Constants, what: str) -> Inapplicable:
        """The refusal that names the premise which fails; ``what`` is said where none does."""
        missing = missing_sentence(self, c)
        told = missing or self._refused(c) or (_no_number(what),)
        return Inapplicable("; ".join(told))

    def _about(self, step: Stepsize) -> str:
        return f"this theorem is about {self.wanted}, got {step}"


def _failing(conditions: Callable[[], tuple[Condition, ...]]) -> tuple[str, ...]:
    """Sentences of those that do not hold, or on numbers too large or small to tell."""
    try:
        return failures(*conditions())
    except ArithmeticError as error:
        return (_no_number(str(error)),)


def _no_number(why: str) -> str:
    return f"constants so large or small leave no number: {why}"


class ConstantStepTheorem(OneKind[ConstantStep]):
    """A theorem about gamma_t = gamma."""

    kind = ConstantStep
    wanted = "a constant stepsize"


class InverseTimeTheorem(OneKind[InverseTimeStep]):
    """A theorem about gamma_t = scale/(shift + t)."""

    kind = InverseTimeStep
    wanted = "a stepsize scale/(shift + t)"


class InverseRootTheorem(OneKind[InverseRootStep]):
    """A theorem about gamma_t = scale/sqrt(t + 1)."""

    kind = InverseRootStep
    wanted = "a stepsize scale/sqrt(t + 1)"

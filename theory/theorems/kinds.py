"""Theorems by the kind of stepsize they are about, and the order in which assumptions are asked."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar, final

import numpy as np

from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep, Stepsize
from theory.theorem import Theorem, missing_sentence
from theory.theorems.conditions import Condition, failures

S = TypeVar("S", bound=Stepsize)


class OneKind(Theorem, Generic[S]):
    """A theorem about stepsizes of one ``kind``, which ``wanted`` says in words.

    What a member is handed states all that follows from what is stated (Constants.completed).
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
        return failures(*self.premises(known)) or failures(*self.conditions(known, step))

    @final
    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        if horizon < 1:
            raise ValueError(f"horizon must be at least 1 step, got horizon={horizon}")
        return self.prescribed(c.completed(), horizon)

    @final
    def bound(self, c: Constants, step: Stepsize, times: Floats) -> Floats:
        return self.curve(c.completed(), self.own(step), np.asarray(times, dtype=np.float64))

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

    def _about(self, step: Stepsize) -> str:
        return f"this theorem is about {self.wanted}, got {step}"


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

"""Faults planted in shifted, lazy, refined and block methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from algorithms.compressors.qsgd import QSGD
from algorithms.methods.base import Method, World
from algorithms.methods.diana import Diana, DianaState
from algorithms.methods.laq import LAQ, LAQState
from algorithms.problems.base import Problem
from proofs_check.closed_forms.shifts import diana_lyapunov, reaches, with_shifts
from proofs_check.mutants.methods import MethodMutant
from theory.constants import Constants
from theory.stepsizes import Stepsize


class _Wrong(Method[Any]):
    """Runs the right method and spoils its state."""

    shared_model: ClassVar[bool] = True
    right: Method[Any]

    @property
    def name(self) -> str:
        return f"{type(self).__name__} posing as {self.right.name}"

    def constants(self, problem: Problem) -> Constants:
        return self.right.constants(problem)

    def init(self, x0: Any, world: World) -> Any:
        return self.right.init(x0, world)

    def models(self, state: Any) -> Any:
        return self.right.models(state)


@final
@dataclass(frozen=True)
class StaleServerShift(_Wrong):
    """The server forgets to move its own shift with the workers'."""

    right: Diana

    def step(self, state: DianaState, t: int, world: World) -> DianaState:
        return self.right.step(state, t, world)._replace(shift=state.shift)


@final
@dataclass(frozen=True)
class ForgetfulLAQ(_Wrong):
    """A silent worker's last gradient is forgotten instead of used again."""

    right: LAQ

    def step(self, state: LAQState, t: int, world: World) -> LAQState:
        new = self.right.step(state, t, world)
        spoken = (new.silent == 0)[..., None]
        return new._replace(sent=new.sent * spoken)


def _stale(step: Stepsize) -> Method[Any]:
    return StaleServerShift(Diana(step, QSGD(2)))


def _forgetful(step: Stepsize) -> Method[Any]:
    return ForgetfulLAQ(LAQ(step))


def _converges(row: str, make: Any) -> Any:
    return lambda: reaches(row, make, 0.5, 1500, "the method")


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "DIANA with a stale server shift", "the server's h stays where it was",
        lambda: diana_lyapunov(_stale), lambda: diana_lyapunov(with_shifts),
    ),
    MethodMutant(
        "LAQ that forgets the silent", "a silent worker counts as zero from then on",
        _converges("laq", _forgetful), _converges("laq", LAQ),
    ),
)  # fmt: skip

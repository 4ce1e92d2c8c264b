"""MethodMutant: a wrong method, memory, network or bound, and who sees it.

Every mutant is judged by a check that also judges the genuine thing: ``refute()`` and ``genuine()``
are the same check on the one and on the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar, final

from proofs_check.verdict import Outcome, Verdict

Verdicts = Verdict | tuple[Verdict, ...]


Thing = TypeVar("Thing", contravariant=True)


class Judge(Protocol[Thing]):
    """A check of what it is handed, by default of the genuine thing."""

    def __call__(self, thing: Thing = ..., /) -> Verdicts: ...


@final
@dataclass(frozen=True)
class MethodMutant:
    """A fault, what was ``planted``, and one check run on the wrong thing and on the right one.

    Attributes:
        name: what reports call it.
    """

    name: str
    planted: str
    wrong: Callable[[], Verdicts]
    right: Callable[[], Verdicts]

    def refute(self) -> Verdict:
        """The check on the mutant; REFUTED is expected."""
        return decisive(self.wrong())

    def genuine(self) -> Verdict:
        """The same check on the right method; anything but REFUTED is expected."""
        return decisive(self.right())


def fault(name: str, planted: str, judge: Judge[Thing], wrong: Thing) -> MethodMutant:
    """A mutant that ``judge`` sees when it is handed ``wrong`` in the genuine thing's place."""
    return MethodMutant(name, planted, lambda: judge(wrong), judge)


def decisive(verdicts: Verdicts) -> Verdict:
    """The first refuted verdict, else the first."""
    several = (verdicts,) if isinstance(verdicts, Verdict) else verdicts
    return next((v for v in several if v.outcome is Outcome.REFUTED), several[0])

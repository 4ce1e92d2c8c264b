"""Closed forms of a row as cases of one form.

A case measures and says what it held against what: it returns one comparison or yields several.
Row, check, problem and what is said of the setting are those of the case, given once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, Protocol, cast, final, overload

from numpy.typing import ArrayLike

from proofs_check.instruments.evidence import IDENTITY, identity, mean_square, mean_value
from proofs_check.verdict import Outcome, Verdict

P = ParamSpec("P")


class Named(Protocol):
    """What has a name, such as a problem."""

    @property
    def name(self) -> str:
        """The name that reports give it."""
        ...


On = str | Named


def _name(on: On) -> str:
    return on if isinstance(on, str) else on.name


def same(
    claim: str, got: ArrayLike, want: ArrayLike, *, on: On = "", check: str = "", words: str = "",
    tolerance: float = IDENTITY, note: str = "",
) -> Verdict:  # fmt: skip
    """``got`` is ``want`` to the tolerance, see :func:`.evidence.identity`."""
    return identity(
        "", claim, got, want, check=check, problem=_name(on), tolerance=tolerance,
        provenance=words, note=note,
    )  # fmt: skip


def mean_is(
    claim: str, samples: ArrayLike, expected: float, *, on: On = "", check: str = "",
    words: str = "", note: str = "",
) -> Verdict:  # fmt: skip
    """The mean of independent ``samples`` is ``expected``, see :func:`.evidence.mean_value`."""
    return mean_value(
        "", claim, samples, expected, check=check, problem=_name(on), provenance=words, note=note
    )


def mean_square_is(
    claim: str, samples: ArrayLike, variance: float, *, centre: float = 0.0, on: On = "",
    check: str = "", words: str = "",
) -> Verdict:  # fmt: skip
    """Gaussian ``samples`` have this variance, see :func:`.evidence.mean_square`."""
    return mean_square(
        "", claim, samples, variance, centre=centre, check=check, problem=_name(on),
        provenance=words,
    )  # fmt: skip


def agrees(
    claim: str, holds: bool, statistic: float | None, bound: float | None, evidence: str, *,
    on: On = "", check: str = "", words: str = "", **figures: Any,
) -> Verdict:  # fmt: skip
    """An equality that was computed: it AGREES where it ``holds``."""
    outcome = Outcome.AGREES if holds else Outcome.REFUTED
    return _judged(claim, outcome, statistic, bound, evidence, (on, check, words), figures)


def supported(
    claim: str, holds: bool, statistic: float | None, bound: float | None, evidence: str, *,
    on: On = "", check: str = "", words: str = "", **figures: Any,
) -> Verdict:  # fmt: skip
    """What the runs looked at did not break: it is SUPPORTED where it ``holds``."""
    outcome = Outcome.SUPPORTED if holds else Outcome.REFUTED
    return _judged(claim, outcome, statistic, bound, evidence, (on, check, words), figures)


def none_wrong(claim: str, wrong: int, evidence: str, **said: Any) -> Verdict:
    """None of what was counted is ``wrong``."""
    return agrees(claim, wrong == 0, float(wrong), 0.0, evidence, **said)


def at_least(claim: str, measured: float, least: float, evidence: str, **said: Any) -> Verdict:
    """What was measured is at least ``least``."""
    return supported(claim, measured >= least, measured, least, evidence, **said)


def at_most(claim: str, measured: float, most: float, evidence: str, **said: Any) -> Verdict:
    """What was measured is at most ``most``."""
    return supported(claim, measured <= most, measured, most, evidence, **said)


def _judged(
    claim: str, outcome: Outcome, statistic: float | None, bound: float | None, evidence: str,
    said: tuple[On, str, str], figures: dict[str, Any],
) -> Verdict:  # fmt: skip
    on, check, words = said
    return Verdict(
        "", claim, check, outcome, statistic, bound, evidence=evidence, problem=_name(on),
        provenance=words, **figures,
    )  # fmt: skip


class _Decorator(Protocol):
    @overload
    def __call__(self, case: Callable[P, Verdict]) -> Callable[P, Verdict]: ...
    @overload
    def __call__(
        self, case: Callable[P, Iterator[Verdict]]
    ) -> Callable[P, tuple[Verdict, ...]]: ...


@final
class ClosedForms:
    """The cases of ``row`` in a module, run in turn when called, or each by whoever calls it.

    Attributes:
        row: key of the row, or another subject.
        problem: what all cases are on that say no other.
        covers: keys of the rows that the cases speak of.
    """

    def __init__(self, row: str, problem: On = "", name: str = "") -> None:
        self.row, self.problem, self.covers = row, _name(problem), (row,)
        self.__name__ = name or row.replace("-", "_")
        self._cases: list[Callable[[], Verdict | tuple[Verdict, ...]]] = []

    def __call__(self) -> tuple[Verdict, ...]:
        return tuple(one for case in self._cases for one in _several(case()))

    def case(self, check: str = "", words: str = "", *, on: On = "") -> _Decorator:
        """Makes a case of a function, whose arguments all have defaults where the cases are run in
        turn; what its comparisons leave open, and what is said of all of them, is given here."""

        def decorated(form: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(form)
            def judged(*args: Any, **named: Any) -> Any:
                found = form(*args, **named)
                if isinstance(found, Verdict):
                    return self._filled(found, check, words, on)
                return tuple(self._filled(one, check, words, on) for one in found)

            self.__module__ = form.__module__
            self._cases.append(judged)
            return judged

        return cast(_Decorator, decorated)

    def _filled(self, found: Verdict, check: str, words: str, on: On) -> Verdict:
        return replace(
            found,
            subject=found.subject or self.row,
            check=found.check or check,
            problem=found.problem or _name(on) or self.problem,
            provenance=", ".join(filter(None, (words, found.provenance))),
        )


def _several(found: Verdict | tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    return (found,) if isinstance(found, Verdict) else found

"""Misprints of the survey, each shown to fail where the corrected formula holds.

The corrected rule or formula gives the stated value, and the printed one does not. Numbers are
those of the erratum (``theory.survey.rows``); each erratum is checked beside its row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import final

from proofs_check.instruments.evidence import IDENTITY
from proofs_check.verdict import CheckKind, Outcome, Verdict


def erratum(
    name: str, row: str, claim: str, correct: tuple[float, float], printed: tuple[float, float],
    note: str = "",
) -> Verdict:  # fmt: skip
    """AGREES iff the corrected value is as stated and the printed one is not; pairs (got, want).

    ``printed`` holds what the printed formula or rule gives and what it ought to give.
    """
    fits = abs(correct[0] - correct[1]) <= 1e3 * IDENTITY * max(1.0, abs(correct[1]))
    fails = abs(printed[0] - printed[1]) > 0.01 * max(abs(printed[1]), IDENTITY)
    return Verdict(
        subject=row,
        claim=claim,
        check=f"erratum {name}",
        kind=CheckKind.ERRATUM,
        outcome=Outcome.AGREES if fits and fails else Outcome.REFUTED,
        statistic=correct[0],
        bound=correct[1],
        evidence=f"corrected: {correct[0]:.8g} (stated {correct[1]:.8g}); printed: "
        f"{printed[0]:.8g} where {printed[1]:.8g} is right" + (f"; {note}" if note else ""),
        provenance=f"survey erratum {name}",
    )


Pair = tuple[float, float]
Shown = tuple[Pair, Pair] | tuple[Pair, Pair, str]


@final
class Demonstration:
    """The closed form that shows the erratum ``name`` of ``row`` to be right.

    Attributes:
        name: name of the erratum.
        row: key of the row that it is printed of.
        claim: what the corrected value is.
        covers: keys of the rows that the demonstration speaks of.
    """

    __name__: str

    def __init__(
        self, name: str, row: str, claim: str, covers: tuple[str, ...], shown: Callable[[], Shown]
    ) -> None:
        self.name, self.row, self.claim, self.covers = name, row, claim, covers or (row,)
        self._shown = shown
        update_wrapper(self, shown)

    def __call__(self) -> tuple[Verdict, ...]:
        return (erratum(self.name, self.row, self.claim, *self._shown()),)


def demonstrates(
    name: str, row: str, claim: str, *, covers: tuple[str, ...] = ()
) -> Callable[[Callable[[], Shown]], Demonstration]:
    """Makes the demonstration of an erratum of what returns pairs (got, want) of the corrected and
    of the printed rule, and perhaps a note; see :func:`erratum`."""
    return lambda shown: Demonstration(name, row, claim, covers, shown)

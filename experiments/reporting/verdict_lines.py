"""Lines of the results table as the pages print them, and how many there are of each verdict."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeVar

import pandas as pd

from experiments.figures.signs import sentence
from experiments.reporting.table import ERROR
from experiments.survey import Survey
from proofs_check.verdict import MEANINGS as VERDICT_MEANINGS
from proofs_check.verdict import CheckKind, Outcome

MEANINGS = {outcome.value: sentence(text) for outcome, text in VERDICT_MEANINGS.items()} | {
    ERROR: "The check itself failed to run."
}
"""What each verdict says, in the order in which they are counted."""

Kept = TypeVar("Kept")


def counts(table: pd.DataFrame) -> list[tuple[str, int]]:
    """Numbers of lines of each verdict; none for those that did not occur."""
    found = Counter(table["verdict"])
    return [(name, found[name]) for name in MEANINGS if found[name]]


def lines(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a verdict table, numbers as they are printed; troubles first."""
    if table.empty:
        return []  # of which pandas takes milliseconds to make a list
    urgency = {ERROR: 0, Outcome.REFUTED.value: 1}
    found = sorted(table.to_dict("records"), key=lambda v: urgency.get(str(v["verdict"]), 2))
    for line in found:
        for name in ("statistic", "bound", "uncertainty", "resolution", "tightness"):
            line[name] = "–" if pd.isna(line[name]) else f"{line[name]:.4g}"
    return [{str(name): value for name, value in line.items()} for line in found]


def effect_line(mine: pd.DataFrame) -> dict[str, Any] | None:
    """The line of a row's effect, as :func:`lines` prints it; None where it has none."""
    found = lines(mine[mine["check_kind"] == CheckKind.EFFECT])
    return found[0] if found else None


def planted(table: pd.DataFrame) -> dict[str, int]:
    """Numbers of planted faults, in all and refuted by the checks."""
    mine = table[table["check_kind"] == CheckKind.MUTANT]
    return {"total": len(mine), "refuted": int((mine["verdict"] == Outcome.CAUGHT.value).sum())}


def facts(survey: Survey, kind: type[Kept]) -> list[Kept]:
    """Facts that the finished cells state of their subjects."""
    results = (stored.result for _, stored in survey.finished)
    return [one for result in results for one in result.facts if isinstance(one, kind)]

"""Tables of a study for LaTeX, with the rules of booktabs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from experiments.figures.tex import name_as_tex, plain_as_tex
from experiments.study.pictures import exponents, rounded
from experiments.study.plan import StudyPlan
from experiments.study.steps import Done, found_of
from proofs_check.cell import CellResult
from proofs_check.facts import ContestFacts
from proofs_check.verdict import Verdict, standing

_NAMES = ("row", "by", "check")  # columns in which nothing is a formula
_LINES = 30  # of a table on a page
_LONG = 25  # letters from which on a column breaks its lines
_COLUMN, _PAGE, _BETWEEN = 48, 100, 2.5  # letters of a line, and between two columns of a table


class StudyTable(NamedTuple):
    """One table.

    Attributes:
        stem: its name in files.
        caption: what it shows.
        frame: its cells as words.
    """

    stem: str
    caption: str
    frame: pd.DataFrame


def tables_of(plan: StudyPlan, done: Done) -> Iterator[StudyTable]:
    """Tables of what is done so far."""
    tuned = [
        {
            "row": one.row.key,
            "stepsize": "none" if found.stepsize is None else f"{found.stepsize:.4g}",
            "parameters": ", ".join(
                f"{name} = {value:g}"
                for name, value in zip(found.settings, found.values, strict=True)
            ),
            "places": str(found.places), "runs": str(found.replicas), "steps": str(found.steps),
        }
        for one in plan.entrants
        if (found := found_of(one, done)) is not None
    ]  # fmt: skip
    if tuned:
        yield StudyTable(
            "tuning", "Stepsizes and parameters of the comparison: the best of one grid for all "
            "rows, decided at the budget of the comparison.", pd.DataFrame(tuned),
        )  # fmt: skip
    for fact in (fact for result in done.values() for fact in result.facts):
        if isinstance(fact, ContestFacts):
            yield _contest(fact)
    rates = exponents(done)
    if rates:
        yield StudyTable(
            "rates", "Measured exponents with 95% intervals, and what is stated of them.",
            pd.DataFrame(map(_rate, rates)),
        )  # fmt: skip
    lines = [_line(verdict) for verdict in verdicts(done)]
    if lines:
        yield StudyTable("verdicts", "What was checked, and what came of it.", pd.DataFrame(lines))


def verdicts(done: Mapping[str, CellResult]) -> tuple[Verdict, ...]:
    """All verdicts, in the order of the steps."""
    return tuple(verdict for result in done.values() for verdict in result.verdicts)


def _contest(fact: ContestFacts) -> StudyTable:
    spent = f"{fact.axis} to {fact.target:.3g}"
    lines = [
        {
            "row": one.row, "error": f"{one.error:.3g}",
            "95% interval": f"[{one.low:.3g}, {one.high:.3g}]",
            "of the best": f"{one.ratio:.3g}", "p": "" if math.isnan(one.p) else f"{one.p:.2g}",
            "verdict": one.standing, "steps": str(one.steps),
            spent: f"{one.spent:.3g}" if math.isfinite(one.spent) else "not reached",
        }
        for one in fact.standings
    ]  # fmt: skip
    return StudyTable(
        "comparison", f"{fact.quantity} at {fact.budget:.4g} {fact.axis} a worker; {fact.tested}.",
        pd.DataFrame(lines),
    )  # fmt: skip


def _rate(one: Verdict) -> dict[str, str]:
    assert one.statistic is not None
    half = "" if one.uncertainty is None else f" +- {one.uncertainty:.2g}"
    return {
        "row": one.subject, "variable": one.check.removeprefix("rate in "),
        "exponent": f"{rounded(one.statistic)}{half}",
        "stated": "none" if one.bound is None else f"{one.bound:.3g}",
        "by": one.theorem, "verdict": standing(one),
    }  # fmt: skip


def _line(one: Verdict) -> dict[str, str]:
    return {
        "row": one.subject, "check": one.check, "claim": one.claim, "verdict": standing(one),
        "measured": "" if one.statistic is None else f"{one.statistic:.3g}",
        "against": "" if one.bound is None else f"{one.bound:.3g}",
    }  # fmt: skip


def latex(table: StudyTable) -> str:
    """The table as LaTeX, its cells typeset; long columns break their lines, such a table has the
    width of the page, and one that is longer than a page goes on in another."""
    cut = range(_LINES, len(table.frame), _LINES)
    frames = np.split(np.arange(len(table.frame)), cut)
    return "\n".join(
        _tabular(table, table.frame.iloc[lines], part) for part, lines in enumerate(frames, start=1)
    )


def _tabular(table: StudyTable, lines: pd.DataFrame, part: int) -> str:
    frame = pd.DataFrame(
        {
            plain_as_tex(name): column.map(name_as_tex if name in _NAMES else plain_as_tex)
            for name, column in lines.items()
        }
    )
    environment, columns = _columns(table.frame)
    caption = table.caption if part == 1 else f"{table.caption} Part {part}."
    label = f"tab:{table.stem}" if part == 1 else f"tab:{table.stem}-{part}"
    text: str = frame.to_latex(
        index=False, escape=False, column_format=columns,
        caption=plain_as_tex(caption), label=label, position="t",
    )  # fmt: skip
    text = text.replace("{table}", f"{{{environment}}}")
    if "X" in columns:
        text = text.replace(r"\begin{tabular}", r"\begin{tabularx}{\linewidth}")
        text = text.replace(r"\end{tabular}", r"\end{tabularx}")
    return text


def _columns(frame: pd.DataFrame) -> tuple[str, str]:
    """The environment, of a column's width or a page's, and how columns are set: where a page is
    not wide enough for their lines, the longest break them."""
    widths = [max(len(name), *frame[name].str.len()) for name in frame]
    total = sum(widths) + _BETWEEN * (len(widths) - 1)
    if total <= _COLUMN:
        return "table", f"@{{}}{'l' * len(widths)}@{{}}"
    longest = min(_LONG, max(widths)) if total > _PAGE else math.inf
    told = (r">{\raggedright\arraybackslash}X" if one >= longest else "l" for one in widths)
    return "table*", f"@{{}}{''.join(told)}@{{}}"

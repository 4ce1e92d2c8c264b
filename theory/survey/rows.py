"""The surveys: which they are, the rows they name, and errata of what they print; rows since."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import final

from theory.claims import Source
from theory.survey.errata import ERRATA as ERRATA
from theory.survey.errata import Erratum as Erratum

SURVEYS: dict[str, tuple[str, Source]] = {
    "000": (
        "Communication optimization strategies for distributed deep neural network training: "
        "a survey",
        Source("Ouyang, Dong, Xu, Xiao", 2020, "2003.03009"),
    ),
    "001": (
        "A quantitative survey of communication optimizations in distributed deep learning",
        Source("Shi, Tang, Chu, Liu, Wang, Li", 2020, "2005.13247"),
    ),
    "002": (
        "Communication-efficient distributed deep learning: a comprehensive survey",
        Source("Tang, Shi, Wang, Li, Chu", 2020, "2003.06307"),
    ),
    "004": (
        "Distributed system for deep learning training: a survey",
        Source("an article on the web", 2020),
    ),
}
"""Title and source of each survey, by the number that rows and errata call it."""


@final
@dataclass(frozen=True)
class SurveyRow:
    """One method or piece that the surveys name, or a method published since.

    Attributes:
        key: its name on the command line.
        family: the part of the survey that it belongs to.
        what: one line about it.
        source: survey and section; of a method since the surveys, its paper.
    """

    key: str
    family: str
    what: str
    source: str


def read_rows(text: str) -> tuple[SurveyRow, ...]:
    """Rows of a tab-separated table: a line of headings, then key, family, what it is, source.

    Raises:
        ValueError: a line has another number of columns, or a key occurs twice.
    """
    rows: dict[str, SurveyRow] = {}
    for number, line in enumerate(text.splitlines()[1:], start=2):
        cells = line.split("\t")
        if len(cells) != 4:
            raise ValueError(f"line {number} must have 4 columns, got {len(cells)}: {line!r}")
        if cells[0] in rows:
            raise ValueError(f"line {number} repeats the key {cells[0]!r}; keys must differ")
        rows[cells[0]] = SurveyRow(*cells)
    return tuple(rows.values())


def _table(name: str) -> tuple[SurveyRow, ...]:
    return read_rows(files("theory.survey").joinpath(name).read_text(encoding="utf-8"))


SURVEY_ROWS: tuple[SurveyRow, ...] = _table("survey_rows.tsv")

SINCE_ROWS: tuple[SurveyRow, ...] = _table("since_rows.tsv")
"""Methods published since the surveys, by the parts of their own taxonomy."""

"""Assembly of the catalogue: one entry per row, no key unlisted, none twice.

Every other file here declares its ready rows in a tuple ``ENTRIES``, each by :func:`entry`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, final

from algorithms.catalogue.row import Recipe, Row
from algorithms.catalogue.subject import RowSubject
from algorithms.core.names import UnknownName, look_up
from theory.survey.rows import SINCE_ROWS, SURVEY_ROWS, SurveyRow

_SURVEYED = {row.key: row for row in SURVEY_ROWS}
_LISTED = _SURVEYED | {row.key: row for row in SINCE_ROWS}


@final
class Line(NamedTuple):
    """Table entry of a method that no table lists.

    Attributes:
        family: the part of the surveys' taxonomy that it belongs to.
        what: one line about it.
        source: authors, year and arXiv id of its paper.
    """

    family: str
    what: str
    source: str


def entry(
    key: str, made_of: Recipe | RowSubject, line: Line | None = None, *, advised: bool = False
) -> Row:
    """The ready row called ``key``: a method by its recipe, or a subject.

    The table of the surveys or that of methods since says what it is; ``line`` does where neither
    lists it. With ``advised`` it is one of those that ``rateproof advise`` chooses among.

    Raises:
        ValueError: the tables have no such key and there is no line, or both are there; or the
            recipe names theorems that tune it and a reason why none does, or neither.
    """
    listed = _listed(key, line)
    if isinstance(made_of, RowSubject):
        return Row(key, *listed, subject=made_of, surveyed=key in _SURVEYED)
    if bool(made_of.theorems) == bool(made_of.why):
        raise ValueError(
            f"the entry {key!r} must name theorems that tune it, or say in why= that none does; "
            f"got {len(made_of.theorems)} theorems and why={made_of.why!r}"
        )
    return Row(key, *listed, made_of, surveyed=key in _SURVEYED, advised=advised)


def _listed(key: str, line: Line | None) -> Line:
    if line is not None:
        if key in _LISTED:
            raise ValueError(
                f"the entry {key!r} has a line of its own, and one in "
                f"{'survey' if key in _SURVEYED else 'since'}_rows.tsv of theory/survey; "
                "leave out line="
            )
        return line
    try:
        one = look_up("row", key, _LISTED)
    except UnknownName as error:
        raise ValueError(
            f"the entry {key!r} has no line in survey_rows.tsv or since_rows.tsv of "
            f"theory/survey: {error}; a line there or line=Line(family, what, source) would do"
        ) from None
    return Line(one.family, one.what, one.source)


def assembled(listed: Sequence[SurveyRow], entries: Iterable[Row]) -> tuple[Row, ...]:
    """Every listed row in the table's order: its entry, or planned where there is none; then the
    rows that no survey names, in the order of their entries.

    Raises:
        ValueError: two entries have one key, or a surveyed entry's key is not listed.
    """
    ready: dict[str, Row] = {}
    for row in entries:
        if row.key in ready:
            raise ValueError(f"two entries have the key {row.key!r}; a row has one entry")
        ready[row.key] = row
    since = tuple(row for row in ready.values() if not row.surveyed)
    stray = sorted(set(ready) - {row.key for row in listed} - {row.key for row in since})
    if stray:
        raise ValueError(
            f"no line of theory/survey/survey_rows.tsv has the key of these entries: "
            f"{', '.join(map(repr, stray))}"
        )
    surveyed = (ready.get(s.key, Row(s.key, s.family, s.what, s.source)) for s in listed)
    return (*surveyed, *since)

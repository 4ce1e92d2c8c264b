"""How the catalogue is put together: one entry a row, no key unlisted, none twice.

Every other file here declares its ready rows in a tuple ``ENTRIES``, each by :func:`entry`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from algorithms.catalogue.row import Recipe, Row
from algorithms.catalogue.subject import RowSubject
from algorithms.core.names import UnknownName, look_up
from theory.survey.rows import SURVEY_ROWS, SurveyRow

_LISTED = {row.key: row for row in SURVEY_ROWS}


def entry(key: str, made_of: Recipe | RowSubject) -> Row:
    """The ready row that the surveys' table lists as ``key``: a method by its recipe, or a subject.

    Raises:
        ValueError: the table has no such key; or the recipe names theorems that tune it and a
            reason why none does, or neither.
    """
    try:
        listed = look_up("row", key, _LISTED)
    except UnknownName as error:
        raise ValueError(
            f"the entry {key!r} has no line in theory/survey/survey_rows.tsv: {error}"
        ) from None
    if isinstance(made_of, RowSubject):
        return Row(listed.key, listed.family, listed.what, listed.source, subject=made_of)
    if bool(made_of.theorems) == bool(made_of.why):
        raise ValueError(
            f"the entry {key!r} must name theorems that tune it, or say in why= that none does; "
            f"got {len(made_of.theorems)} theorems and why={made_of.why!r}"
        )
    return Row(listed.key, listed.family, listed.what, listed.source, made_of)


def assembled(listed: Sequence[SurveyRow], entries: Iterable[Row]) -> tuple[Row, ...]:
    """Every listed row in the table's order: its entry, or planned where there is none.

    Raises:
        ValueError: two entries have one key, or an entry's key is not listed.
    """
    ready: dict[str, Row] = {}
    for row in entries:
        if row.key in ready:
            raise ValueError(f"two entries have the key {row.key!r}; a row has one entry")
        ready[row.key] = row
    stray = sorted(set(ready) - {row.key for row in listed})
    if stray:
        raise ValueError(
            f"no line of theory/survey/survey_rows.tsv has the key of these entries: "
            f"{', '.join(map(repr, stray))}"
        )
    return tuple(ready.get(s.key, Row(s.key, s.family, s.what, s.source)) for s in listed)

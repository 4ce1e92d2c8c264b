"""Rows that a command was told to keep to, by their keys."""

from __future__ import annotations

from collections.abc import Sequence

from algorithms.catalogue import FORMS, ROWS, Row, forms_of, row


def named_rows(keys: Sequence[str]) -> tuple[Row, ...]:
    """Ready rows of these ``keys`` with their forms, forms of ``ROW:FORM``; all if none is named.

    Raises:
        ValueError: there is no such row, or it is planned.
    """
    if not keys:
        return tuple(r for r in (*ROWS, *FORMS.values()) if r.state == "ready")
    found: dict[str, Row] = {}
    for key in keys:
        named = row(key)
        if named.state == "planned":
            raise ValueError(
                f"row must be one that is ready, got row={key}, which is planned; "
                "`rateproof list --ready` names them"
            )
        found |= {one.key: one for one in (named, *forms_of(key))}
    return tuple(found.values())

"""Rows that a command was told to keep to, by their keys."""

from __future__ import annotations

from collections.abc import Sequence

from algorithms.catalogue import FORMS, METHODS, Row, forms_of, row


def named_rows(keys: Sequence[str]) -> tuple[Row, ...]:
    """Ready rows of these ``keys`` with their forms, forms of ``ROW:FORM``; all methods if none is.

    Raises:
        ValueError: there is no such row, or it is planned.
    """
    if not keys:
        return (*METHODS, *FORMS.values())
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

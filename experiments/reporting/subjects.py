"""Rows that are no methods: what stands for them, and what is stated of it."""

from __future__ import annotations

import inspect
from typing import Any

from algorithms.catalogue import Row


def subject_section(row: Row) -> dict[str, Any] | None:
    """Kind, parts with their definitions and statements, for the row's page; None for a method."""
    if row.subject is None:
        return None
    return {
        "kind": row.subject.kind,
        "states": row.subject.states,
        "parts": [
            {"name": part.name, "definition": definition(part)} for part in row.subject.parts
        ],
    }


def definition(part: object) -> list[str]:
    """Paragraphs of the docstring of a part's class, without its fields and errors."""
    text = inspect.getdoc(type(part)) or ""
    paragraphs = (p for p in text.split("\n\n") if not p.startswith(("Raises:", "Attributes:")))
    return [" ".join(paragraph.split()) for paragraph in paragraphs]

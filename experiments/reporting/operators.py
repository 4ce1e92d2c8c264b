"""Operators on a row's page, from the results of their checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from experiments.figures.signs import plain
from proofs_check.facts import OperatorFacts


def operator_sections(
    names: Sequence[str], known: Mapping[str, OperatorFacts]
) -> list[dict[str, Any]]:
    """One section for each operator whose check has ended; a definition stands with the first of
    its class."""
    seen: set[str] = set()
    sections = []
    for facts in (known[name] for name in names if name in known):
        section = asdict(facts)
        first = facts.family not in seen
        section["definition"] = [plain(text) for text in facts.definition] if first else []
        seen.add(facts.family)
        sections.append(section)
    return sections

"""Table II of survey 002 for the page: the survey's words and what was measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from experiments.survey import Survey
from proofs_check.cell import CellResult
from proofs_check.curves import SchemeNumbers
from theory.survey.influences import INFLUENCES


def influence_lines(survey: Survey) -> list[dict[str, Any]]:
    """Those of a survey's results."""
    return influence_lines_of(stored.result for _, stored in survey.finished)


def influence_lines_of(results: Iterable[CellResult]) -> list[dict[str, Any]]:
    """One line per combination the survey speaks of; None for what was not measured."""
    found = {
        (one.architecture, one.synchronisation): one
        for result in results
        for one in result.curves
        if isinstance(one, SchemeNumbers)
    }
    return [
        {"words": words, "measured": _measured(found, words.architecture, words.synchronisation)}
        for words in (INFLUENCES if found else ())
    ]


def _measured(
    found: dict[tuple[str, str], SchemeNumbers], architecture: str, synchronisation: str
) -> dict[str, str] | None:
    one = found.get((architecture, synchronisation))
    if one is None:
        return None
    error = one.error / found["PS", "BSP"].error
    numbers = asdict(replace(one, error=error))
    measured = {name: _number(v) for name, v in numbers.items() if isinstance(v, float)}
    return measured | ({"seconds": "–"} if architecture == "All-Reduce" else {})


def _number(value: float) -> str:
    return "0" if value == 0 else f"{np.format_float_positional(value, 3, fractional=False)}"

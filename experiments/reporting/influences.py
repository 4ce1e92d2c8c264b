"""Table II of survey 002 for the page: the survey's words and what was measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.survey import Survey
from theory.survey.influences import INFLUENCES


def influence_lines(survey: Survey) -> list[dict[str, Any]]:
    """One line per combination the survey speaks of; None for what was not measured."""
    curves = next((s.result.curves for c, s in survey.finished if c.check == "influences"), None)
    if curves is None:
        return []
    numbers = iter(zip(*(curves[name] for name in curves if name != "line"), strict=True))
    names = [name for name in curves if name != "line"]
    places = set(curves["line"].astype(int).tolist())
    base = float(curves["error"][0])
    lines = []
    for place, words in enumerate(INFLUENCES):
        measured = dict(zip(names, next(numbers), strict=True)) if place in places else None
        if measured is not None:
            measured["error"] = measured["error"] / base
            measured = {name: _number(value) for name, value in measured.items()}
            if words.architecture == "All-Reduce":
                measured["seconds"] = "–"
        lines.append({"words": words, "measured": measured})
    return lines


def _number(value: float) -> str:
    return "0" if value == 0 else f"{np.format_float_positional(value, 3, fractional=False)}"

"""Pictures of answers as files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from experiments.figures.lines_figure import lines_figure
from experiments.figures.style import png, styled, webp
from experiments.questions.kept import curves
from experiments.storage.files import write_atomically

_DPI = 110


def written(
    folder: Path, answers: Mapping[str, Mapping[str, Any]], *, page: bool = False
) -> dict[str, list[str]]:
    """Draw answers into a folder; file names by question, in the order of its parts, empty for one
    that has no curves. PNG, or for a ``page`` of the report WebP."""
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, list[str]] = {}
    for key, answer in answers.items():
        for number, record in enumerate(answer["parts"], start=1):
            if "curves" not in record:
                names.setdefault(key, []).append("")
                continue
            name = f"{key}-{number}.{'webp' if page else 'png'}"
            write_atomically(folder / name, _drawn(json.dumps(record), page))
            names.setdefault(key, []).append(name)
    return names


@cache
def _drawn(record: str, page: bool) -> bytes:
    """The picture of a part; a survey writes its pages again and again, with the same answers."""
    with styled():
        return (webp if page else png)(lines_figure(curves(json.loads(record))), _DPI)

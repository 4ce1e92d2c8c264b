"""The report's page of questions: what is kept of their answers, with pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.questions import kept
from experiments.questions.drawing import written

FOLDER = "questions"
"""The folder of a report that the pictures of answers lie in."""


def questions(out: Path) -> list[dict[str, Any]]:
    """Questions with their answers; pictures are drawn into the report's folder ``out``."""
    pictures = written(out / FOLDER, kept.stored(), page=True)
    return [
        {
            "key": key, "asked": one["asked"], "why": one["why"],
            "parts": [
                record | {"answer": kept.sentence(record), "anchor": kept.anchor(key, number),
                          "picture": name and f"{FOLDER}/{name}"}
                for number, (record, name) in enumerate(
                    zip(one["parts"], pictures[key], strict=True), start=1
                )
            ],
        }
        for key, one in kept.stored().items()
    ]  # fmt: skip

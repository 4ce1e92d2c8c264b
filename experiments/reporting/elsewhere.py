"""Outputs of other commands in a report's folder: published figures, and the cross-validation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.published.figure import published_figures
from experiments.reporting.pictures import FIGURES
from proofs_check.verdict import Outcome

CROSSVAL = "crossval.json"
"""What ``rateproof crossval --json`` printed."""

MADE = "figures.json"
"""What ``rateproof figures --json`` printed."""


def published(out: Path) -> list[dict[str, Any]]:
    """The published figures, with picture and verdict where they were made in this folder."""
    made = {one["name"]: one for one in _read(out / MADE) or () if "verdict" in one}
    told = []
    for name, figure in published_figures().items():
        stem = name.replace("-", "_")
        there = (out / FIGURES / f"{stem}.png").is_file()
        found = {"verdict": "", "reproduced": None, **made.get(name, {})}
        verdict = {key: found[key] for key in ("verdict", "reproduced")}
        told.append(figure.record() | {"stem": stem if there else ""} | verdict)
    return told


def crossval(out: Path) -> dict[str, Any]:
    """Lines of a cross-validation, in the order of its rows, and how many differ."""
    found = _read(out / CROSSVAL)
    lines = [] if found is None else [one for one in found if "outcome" in one]
    refuted = sum(one["outcome"] == Outcome.REFUTED.value for one in lines)
    return {"ran": found is not None, "lines": lines, "refuted": refuted, "file": CROSSVAL}


def _read(path: Path) -> list[dict[str, Any]] | None:
    """A list of records; None where there is no such file, or it holds something else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else None

"""The report's page of worst cases: what is kept, and its heat maps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.reporting.theorem_pages import theorem_page
from experiments.worst_cases import kept
from experiments.worst_cases.drawing import SLACK_FILE, written_for_page

FOLDER = "worst"
"""The folder of a report that the heat maps lie in."""


def worst_cases(out: Path) -> dict[str, Any]:
    """What the page shows; heat maps are drawn into the report's folder ``out``."""
    constants = [one | {"page": theorem_page(one["theorem"])} for one in kept.constants()]
    stepsizes = {one["alpha"] for one in kept.stored()["spectral"]}
    return {
        "constants": constants, "rates": list(kept.lines()), "stepsizes": len(stepsizes),
        "folder": FOLDER, "slack_file": SLACK_FILE, "maps": written_for_page(out / FOLDER),
    }  # fmt: skip

"""What a report says of where its numbers come from, and of what they cost."""

from __future__ import annotations

from typing import Any

from experiments.closure.versions import LIBRARIES, overall
from experiments.progress import duration, title
from experiments.survey import Survey

_DEAREST = 10  # cells that are named


def provenance(survey: Survey) -> dict[str, Any]:
    """Seeds, versions, and the processor time of the cells, as the page's template takes them."""
    costs = [(stored.processor_seconds, cell) for cell, stored in survey.finished]
    dearest = sorted(costs, key=lambda cost: cost[0], reverse=True)[:_DEAREST]
    return {
        "cells": len(survey.finished) + len(survey.failures),
        "reused": survey.reused,
        "seeds": sorted({seed for cell, _ in survey.finished for seed in cell.seeds}),
        "version": overall(survey.versions),
        "libraries": LIBRARIES,
        "processor_time": duration(sum(seconds for seconds, _ in costs)),
        "dearest": [f"{title(cell)} ({seconds:.1f} s)" for seconds, cell in dearest],
    }

"""Provenance of the numbers of a report, and their cost."""

from __future__ import annotations

import os
import platform
from typing import Any

from algorithms.core.versions import package_version
from experiments.closure.versions import LIBRARIES, overall
from experiments.processes.progress import duration, title
from experiments.survey import Survey

_DEAREST = 40  # cells that are named


def provenance(survey: Survey) -> dict[str, Any]:
    """Seeds, versions, machine, and the time of the cells, as the page's template takes them."""
    costs = [(stored.processor_seconds, cell) for cell, stored in survey.finished]
    dearest = sorted(costs, key=lambda cost: cost[0], reverse=True)[:_DEAREST]
    return {
        "cells": len(survey.finished) + len(survey.failures),
        "reused": survey.reused,
        "seeds": sorted({seed for cell, _ in survey.finished for seed in cell.seeds}),
        "version": overall(survey.versions),
        "libraries": LIBRARIES,
        "versions": [
            ("Python", platform.python_version()),
            *((n, package_version(n)) for n in LIBRARIES),
        ],
        "machine": f"{platform.system()}, {platform.machine()}, {os.cpu_count()} processors",
        "elapsed": duration(survey.seconds),
        "processor_time": duration(sum(seconds for seconds, _ in costs)),
        "dearest": [(title(cell), f"{seconds:.1f}") for seconds, cell in dearest],
    }

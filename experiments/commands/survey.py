"""``rateproof survey``: the main job."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from experiments.closure.versions import cell_versions
from experiments.commands.console import at_least, bad_input, console, dump, writable
from experiments.processes.executors import opening
from experiments.ranks.named_rows import named_rows
from experiments.reporting.survey_job import survey_job
from experiments.reporting.table import headline
from experiments.storage.folders import cells_folder
from proofs_check.cell import Cell
from proofs_check.prepare import prepare, run_cell
from proofs_check.suite import cells

PRESETS = ("quick", "full")


def cells_of(preset: str, keys: Sequence[str]) -> tuple[Cell, ...]:
    """The cells of these rows and their forms, or all cells where no row is named.

    Raises:
        ValueError: there is no such row, or it is planned.
    """
    wanted = {named.key for named in named_rows(keys)}
    return tuple(cell for cell in cells(preset) if not keys or cell.row in wanted)


def survey_command(
    preset: str, keys: Sequence[str], out: Path, *, as_json: bool, executor: str, workers: int
) -> int:
    """Run it; the exit code is that of :func:`experiments.reporting.survey_job.survey_job`."""
    with bad_input():
        if preset not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got preset={preset}")
        chosen = cells_of(preset, keys)
        at_least("processes", workers, 1)
        if executor:
            opening(executor)
        writable(out)
        writable(cells_folder(out))
    out.mkdir(parents=True, exist_ok=True)
    named = " ".join((preset, *(f"--row {key}" for key in keys)))
    versions = cell_versions(chosen, prepare)
    code = survey_job(named, chosen, run_cell, out, console(as_json), versions, executor, workers)
    if as_json and code in (0, 1):
        table = pd.read_parquet(out / "results.parquet")
        found = headline(table)["verdict"].value_counts()
        dump(
            {
                "verdicts": {str(name): int(count) for name, count in found.items()},
                "failed_cells": int((table["verdict"] == "error").sum()),
                "refuted": table[table["verdict"] == "refuted"].to_dict("records"),
                "report": str(out / "index.html"),
                "table": str(out / "results.parquet"),
            }
        )
    return code

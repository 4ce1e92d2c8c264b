"""The real survey job on cells that take a known time; run as a script: OUT NAME:SECONDS ..."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from proofs_check.cell import Cell, CellKind, CellResult
from proofs_check.curves import TradeoffPoint
from proofs_check.verdict import Outcome, Verdict


def run_cell(cell: Cell) -> CellResult:
    """Sleep ``steps`` milliseconds; rows named raise, die and child do what they are called."""
    if cell.row == "raise":
        raise ArithmeticError("the model is not finite")
    if cell.row == "die":
        os._exit(7)
    if cell.row == "child":
        os.system("sleep 300 & exec sleep 300")
    time.sleep(cell.steps / 1000)
    verdict = Verdict(cell.row, "it slept", "nap", Outcome.SUPPORTED, statistic=cell.steps / 1000)
    point = TradeoffPoint("sleep", "gaussian", cell.steps / 1000, 0.0, float("nan"))
    return CellResult((verdict,), (point,))


def cells(words: list[str]) -> tuple[Cell, ...]:
    """One cell per word ``name:milliseconds``."""
    pairs = [word.split(":") for word in words]
    return tuple(
        Cell(name, "bed", CellKind.STUDY, "nap", (0,), 1, int(ms), 2) for name, ms in pairs
    )


if __name__ == "__main__":  # what the workers need not import
    from rich.console import Console

    from experiments.reporting.survey_job import survey_job

    console = Console(force_terminal=False, width=120)
    todo = cells(sys.argv[2:])
    versions = dict.fromkeys(todo, "fake")
    sys.exit(survey_job("fake", todo, run_cell, Path(sys.argv[1]), console, versions))

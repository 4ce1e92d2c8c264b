"""Which definitions a cell really executes; run as a script: one line of JSON for each check named.

Each cell runs in a fork of its own, so that no cache filled by another hides what it calls.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from algorithms.problems import entries
from experiments.closure.graph import WHOLE, DefinitionGraph
from experiments.closure.versions import ROOT, contents_of
from proofs_check.cell import Cell, CellKind
from proofs_check.methods import influences
from proofs_check.mutants import report
from proofs_check.prepare import prepare

_EVERY = 24  # of how many mutants, and of how many steps of a table's runs, one is traced
RUNS = influences._RUNS


class Executed:
    """A profiler that keeps where each Python function of the project was defined.

    What runs while a module is imported is left out: it is the same for every cell.
    """

    def __init__(self) -> None:
        self.places: set[tuple[str, int]] = set()
        self._importing = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if code.co_name == "<module>":
            self._importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self._importing:
            self.places.add((code.co_filename, code.co_firstlineno))


def outside(cell: Cell, root: Path = ROOT) -> tuple[list[str], int]:
    """Definitions that the cell executed and its closure lacks, and how many it executed."""
    graph = DefinitionGraph.from_folder(root)
    prepared = prepare(cell)
    if cell.kind == CellKind.MUTANTS:  # tests of their own run them all, and not under a profiler
        report.MUTANTS = report.MUTANTS[::_EVERY]
        report.METHOD_MUTANTS = report.METHOD_MUTANTS[::_EVERY]
    if cell.kind == CellKind.INFLUENCES:  # shorter runs of every combination
        influences._RUNS = {names: partial(_shorter, run) for names, run in RUNS.items()}
    closure = graph.closure(contents_of(prepared, graph).roots)
    entries._built.cache_clear()  # of what was built while modules were imported
    executed = Executed()
    sys.setprofile(executed)
    try:
        prepared()
    finally:
        sys.setprofile(None)
    modules = {str(path): module for module, path in graph.files.items()}
    places = [(modules[file], line) for file, line in executed.places if file in modules]
    missing = [
        f"{module}:{names} (line {line})"
        for module, line in places
        if (names := graph.source(module).around(line))
        and not any((module, name) in closure for name in (*names, WHOLE))
        and not _lambda_of_a_table(graph, module, line)
    ]
    return sorted(missing), len(places)


def _shorter(run: Callable[[], Any]) -> Any:
    built = run()
    return replace(built, steps=max(1, built.steps // _EVERY))


def _lambda_of_a_table(graph: DefinitionGraph, module: str, line: int) -> bool:
    """Lambdas at the top level of a module count by their own text, not as definitions."""
    return bool(graph.lambdas(module, line))


def main(cells: list[Cell]) -> None:
    """Print what each cell executes beyond its closure."""
    for cell in cells:
        child = os.fork()
        if not child:
            missing, count = outside(cell)
            print(json.dumps({"check": cell.check, "missing": missing, "executed": count}))
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"{cell} ended with status {status}")


if __name__ == "__main__":
    main([Cell(*(tuple(f) if isinstance(f, list) else f for f in c)) for c in json.load(sys.stdin)])

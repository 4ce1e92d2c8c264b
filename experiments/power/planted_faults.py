"""``python -m experiments.power.planted_faults [NAME ...]``: subtle faults that ``check ROW`` sees.

Each is one edit of a line of the implementation, made in a copy of the tree; there the cells of the
row are run, those that cost least first, until one is refuted. A fault that is refuted there is one
that ``rateproof check ROW`` refutes, which runs all of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from experiments.power.planted_edits import FAULTS, PlantedEdit
from experiments.power.planted_row import STOPS

_ROOT = Path(__file__).parents[2]
_PARTS = ("theory", "algorithms", "proofs_check", "experiments", "rateproof.py")
_PROGRAM = "experiments.power.planted_row"


class Sighting(NamedTuple):
    """Outcome of one planted fault.

    Attributes:
        fault: the fault.
        seen: the first refuted verdict, where none was the first error that stopped a cell
            (beginning with "stops: "), else empty.
        cells: how many cells were run.
        seconds: processor time [s].
    """

    fault: PlantedEdit
    seen: str
    cells: str
    seconds: float


def planted(fault: PlantedEdit, folder: Path) -> Path:
    """A copy of the tree in ``folder`` with the fault in it.

    Files are links to the originals, compiled kernels too, but for the one that is edited.

    Raises:
        ValueError: the line to be edited is not there, or more than once.
    """
    for part in _PARTS:
        source, copy = _ROOT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, copy, copy_function=os.link)
        else:
            os.link(source, copy)
    file = folder / fault.file
    text = edited(fault)
    file.unlink()
    file.write_text(text)
    return folder


def edited(fault: PlantedEdit) -> str:
    """The file with the fault in it.

    Raises:
        ValueError: the text to be replaced is not there, or more than once.
    """
    text = (_ROOT / fault.file).read_text()
    if text.count(fault.old) != 1:
        raise ValueError(
            f"{fault.name}: {fault.old!r} must stand once in {fault.file}, "
            f"got {text.count(fault.old)} places"
        )
    return text.replace(fault.old, fault.new)


def sighting(fault: PlantedEdit) -> Sighting:
    """Plant a fault, and run the cells of its row until one is refuted.

    Raises:
        RuntimeError: the row's cells could not be listed in the copy.
    """
    start = os.times()
    with tempfile.TemporaryDirectory() as made:
        folder = planted(fault, Path(made))
        done = subprocess.run(
            [sys.executable, "-m", _PROGRAM, fault.row, fault.first],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            check=False,
        )
    end = os.times()
    spent = end.children_user + end.children_system - start.children_user - start.children_system
    lines = done.stdout.strip().splitlines()
    if not lines:
        raise RuntimeError(f"{fault.name}: no cell was run\n{done.stderr[-2000:]}")
    seen, cells = (*lines[-1].split("\t"), "")[:2] if done.returncode else ("", lines[-1])
    return Sighting(fault, seen, cells, spent)


def sightings(names: list[str]) -> Iterator[Sighting]:
    """Of the faults called ``names``, of all if none is named.

    Raises:
        ValueError: there is no such fault.
    """
    known = {fault.name: fault for fault in FAULTS}
    for name in names:
        if name not in known:
            raise ValueError(f"no fault is called {name!r}; known are {', '.join(known)}")
    return (sighting(known[name]) for name in names or known)


def main(*names: str) -> None:
    """Print a line for every fault as it is found, and how many were seen."""
    console, started = Console(), time.time()
    table = Table("fault", "row", "seen by", "cells", "CPU s")
    found = []
    for one in sightings(list(names)):
        found.append(one)
        told = (one.fault.name, one.fault.row, one.seen or "[bold]not seen[/]", one.cells)
        table.add_row(*told, f"{one.seconds:.0f}")
        print(f"{one.fault.name}: {one.seen or 'not seen'} [{one.cells}] {one.seconds:.0f} s",
              flush=True)  # fmt: skip
    console.print(table)
    seen = sum(bool(one.seen) for one in found)
    by_verdict = sum(bool(one.seen) and not one.seen.startswith(STOPS) for one in found)
    console.print(
        f"{seen} of {len(found)} seen, {by_verdict} of them by a verdict, "
        f"{time.time() - started:.0f} s"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])

"""``rateproof check``: verdicts on a row, compressor or problem, or on one's own object."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import RenderableType

from algorithms.catalogue import OPERATORS, PROBLEMS, ROWS, entry_called, row
from algorithms.compressors.base import Compressor
from algorithms.core.names import UnknownName
from experiments.commands.as_found import gathered, told
from experiments.commands.console import (
    SUBJECT_FAULT,
    at_least,
    bad_input,
    console,
    exit_code,
    print_error,
    show_verdicts,
)
from experiments.commands.grid import LAYOUT
from experiments.processes.progress import title
from experiments.ranks.user_objects import Report, UserCodeError, check_own
from experiments.storage.folders import cells_folder
from experiments.storage.store import Store
from experiments.survey import expected_seconds
from proofs_check.cell import Cell, CellKind
from proofs_check.compressors.check import check_compressor
from proofs_check.prepare import run_cell
from proofs_check.row_coverage import cells_of
from proofs_check.suite import PRESETS, cells
from proofs_check.verdict import Verdict

_REPORT = Path("report")  # of a survey here, which knows how long cells take


def check_command(name: str, *, d: int, as_json: bool) -> int:
    """Exit code 1 if a claim is refuted, 3 if a user's own code raised."""
    screen = console(True)

    def report(what: RenderableType) -> None:
        screen.print(what, markup=False, highlight=False)

    try:
        with bad_input():
            at_least("d", d, 1)
            found = check_own(name, d, report) if ":" in name else check_named(name, d, report)
            if as_json or LAYOUT.tsv:
                return show_verdicts(gathered(found, report), as_json)
            return exit_code(told(found, console(False)))
    except UserCodeError as error:
        print_error(error)
        return SUBJECT_FAULT


def check_named(name: str, d: int, report: Report) -> Iterator[Verdict]:
    """Verdicts on an operator on R^d, or on a row's or a problem's cells, as they are found."""
    target = find(name)
    if isinstance(target, Compressor):
        yield from check_compressor(target, d=d)
        return
    if name in {r.key for r in ROWS} and row(name).why:
        report(f"no theorem tunes {name}: {row(name).why}")
    seconds = expected_seconds(target, Store(cells_folder(_REPORT), {}))
    for number, cell in enumerate(sorted(target, key=seconds.__getitem__), start=1):
        report(f"[{number}/{len(target)}] {title(cell)}")
        yield from run_cell(cell).verdicts


def find(name: str) -> Compressor | tuple[Cell, ...]:
    """Meaning of ``name``: an operator by its reported name, or a row's or a problem's cells.

    To a row belong the proofs, closed forms and problems that speak of it.

    Raises:
        ValueError: there is no such thing; suggests the nearest.
    """
    if name in OPERATORS:
        return OPERATORS[name]
    keys, problems = [r.key for r in ROWS], [entry.name for entry in PROBLEMS]
    if "@" in name:
        return (Cell("", entry_called(name).name, CellKind.PROBLEM, n=PRESETS["quick"].n),)
    if name not in keys and name not in problems:
        raise UnknownName("row, compressor or problem", name, [*keys, *OPERATORS, *problems])
    every = cells("quick")
    found = cells_of(name, every) or tuple(
        cell for cell in every if cell.kind is CellKind.PROBLEM and cell.problem == name
    )
    if not found:
        raise ValueError(
            f"row {name!r} is {row(name).state}: there is nothing to check yet; "
            "`rateproof list --ready` names the rows that run"
        )
    return found

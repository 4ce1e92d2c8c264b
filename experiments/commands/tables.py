"""``rateproof table``: a survey's table with what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from algorithms.core.names import UnknownName, look_up
from experiments.commands.console import bad_input, console, dump, number, writable
from experiments.commands.grid import LAYOUT, print_table
from experiments.commands.other_tables import (
    all_reduce_records,
    influence_records,
    round_records,
    show_all_reduce,
    show_influences,
    show_rounds,
    show_taxonomy,
    taxonomy_records,
)
from experiments.figures.signs import pretty
from experiments.storage.folders import require_survey
from experiments.tables.convergence import Exponent, TableCell, table_iv
from experiments.tables.stored import stored_results
from proofs_check.cell import Cell, CellKind
from proofs_check.instruments.standings import STANDINGS, RateStanding
from proofs_check.registry import STUDIES
from proofs_check.table_iv.trials import table_cells

NAMES = ("I", "II", "III", "IV", "000-2")
_SPEEDUP = "rounds_for_speedup"
_COLOURS = {
    RateStanding.ATTAINED: "blue", RateStanding.FASTER: "green", RateStanding.SHORT: "yellow",
    RateStanding.OUTSIDE: "magenta", RateStanding.COARSE: "dim",
    RateStanding.REFUTED: "bold red", RateStanding.ALONE: "cyan", RateStanding.UNFITTED: "dim",
    RateStanding.MISSING: "dim",
}  # fmt: skip


def table_command(
    name: str, *, report: Path, measure: bool, everything: bool, cell: str | None, as_json: bool
) -> int:
    """Exit code 0; 1 if an exponent of Table IV is refuted."""
    with bad_input():
        chosen = look_up("table", name, {one: one for one in NAMES})
        if cell is not None and chosen != "IV":
            raise ValueError(f"cell is of table IV alone, got cell={cell!r} with table={chosen}")
        wanted = _called(cell) if chosen == "IV" else ()
        if measure:
            writable(report)
            report.mkdir(parents=True, exist_ok=True)
        else:
            require_survey(report)
    screen = console(as_json)
    if chosen == "III":
        return show_all_reduce(as_json)
    if chosen == "I":
        return show_taxonomy(report, as_json)
    todo = _cells(chosen, everything, wanted) if measure else ()
    results = stored_results(_cells(chosen, True, wanted), report, console(True), todo)
    if chosen == "II":
        return show_influences(results, as_json)
    if chosen == "000-2":
        return show_rounds(results, as_json)
    names = {one.name for one in wanted}
    shown = [one for one in table_iv(results) if one.name in names]
    if as_json:
        dump([one.record() for one in shown])
    else:
        _show(shown, screen, details=cell is not None)
        kept = [one in results for one in _cells("IV", True, wanted)]
        if not all(kept):
            only = "" if cell is None else f" --cell '{cell}'"
            screen.print(
                f"{len(kept) - sum(kept)} of {len(kept)} exponents are not in {report} under the "
                f"present code; `rateproof table IV --measure{only}` computes those of T, with "
                "--all every one",
                highlight=False, soft_wrap=True,
            )  # fmt: skip
    refuted = any(e.standing is RateStanding.REFUTED for one in shown for e in one.exponents)
    return 1 if refuted else 0


def table_data(name: str, report: Path, *, measure: bool = False) -> list[dict[str, Any]]:
    """The records of ``--json``, of what the survey in ``report`` holds.

    Raises:
        ValueError: there is no such table.
    """
    chosen = look_up("table", name, {one: one for one in NAMES})
    if not measure:
        require_survey(report)
    if chosen == "I":
        return taxonomy_records(report)
    if chosen == "III":
        return all_reduce_records()
    wanted = table_iv({}) if chosen == "IV" else ()
    todo = _cells(chosen, False, wanted) if measure else ()
    results = stored_results(_cells(chosen, True, wanted), report, console(True), todo)
    if chosen == "II":
        return influence_records(results)
    if chosen == "000-2":
        return round_records(results)
    return [one.record() for one in table_iv(results)]


def _cells(name: str, everything: bool, wanted: Sequence[TableCell]) -> tuple[Cell, ...]:
    """The survey's cells that a table is made of; of the ``wanted`` ones of Table IV those of T, or
    ``everything``."""
    if name == "II":
        return (Cell("", "", CellKind.INFLUENCES),)
    if name == "000-2":
        mine = (one for one in STUDIES if one.name.startswith(_SPEEDUP))
        return tuple(Cell(one.row, one.problem, CellKind.STUDY, one.name) for one in mine)
    of_trials = table_cells()
    behind = (of_trials[trial] for trial in dict.fromkeys(one.trial.name for one in wanted))
    return tuple(cell for cells in behind for cell in (cells if everything else cells[:1]))


def _called(name: str | None) -> tuple[TableCell, ...]:
    """Cells of Table IV without their evidence: all, the one of that name, or both of a line's.

    Raises:
        ValueError: there is no such cell; suggests the nearest.
    """
    cells = table_iv({})
    if name is None:
        return cells
    mine = tuple(one for one in cells if name in (one.name, one.line.name))
    if not mine:  # in quotes, since there are commas in a name
        raise UnknownName("cell of Table IV", name, (repr(one.name) for one in cells))
    return mine


def _show(cells: Sequence[TableCell], screen: Console, *, details: bool) -> None:
    if details:
        for one in cells:
            _detail(one, screen)
        return
    whole = LAYOUT.wide or LAYOUT.tsv
    heads: tuple[str, ...] = (
        "cell", "stated", "variable", "exponent", "order", "bound's", "standing", "method",
    )  # fmt: skip
    lines = [line for one in cells for line in _lines(one, everything=whole)]
    if not whole:
        few = (0, 1, 3, 6)  # so that a cell is a line; all of them vary T
        heads = tuple(heads[k] for k in few)
        lines = [tuple(line[k] for k in few) for line in lines]
    print_table(screen, heads, lines, "Table IV of survey 002: exponents of T, measured and stated")
    if not whole:
        screen.print(
            "--wide has the orders, the methods and the exponents of all variables, --cell NAME "
            "everything about one cell",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    for standing in RateStanding:
        count = sum(one.in_T.standing is standing for one in cells)
        if count:
            screen.print(
                f"[{_COLOURS[standing]}]{count} {standing}[/]: {escape(STANDINGS[standing])}",
                highlight=False, soft_wrap=True,
            )  # fmt: skip


def _lines(cell: TableCell, *, everything: bool) -> Iterator[tuple[str, ...]]:
    """Lines of the table: that of T, or one for every variable that was measured."""
    stated = "new" if cell.stated is None else pretty(f"O(T^{float(cell.stated.power):g})")
    known = [one for one in cell.exponents[1:] if one.standing is not RateStanding.MISSING]
    for one in (cell.in_T, *(known if everything else ())):
        exact = " exact" if one.exact else ""
        measured = ""
        if one.slope is not None:
            measured = f"{number(one.slope, 3)} ± {number(one.half_width, 2)}{exact}"
        always = ", but not always" if one.changes else ""
        yield (
            escape(cell.name), stated, one.variable, measured, _number(one.order),
            _number(one.own), f"[{_COLOURS[one.standing]}]{one.standing}{always}[/]",
            escape(cell.trial.row.key),
        )  # fmt: skip


def _number(value: float | None) -> str:
    return "" if value is None else number(value, 3)


def _exponent(one: Exponent) -> str:
    if one.slope is None:
        return f"{one.variable}: [{_COLOURS[one.standing]}]{one.standing}[/]"
    own = "" if one.own is None else f", its bound {number(one.own, 3)}"
    stated = "" if one.order is None else f" ({number(one.order, 3)}{own})"
    measured = f"{number(one.slope, 3)} ± {number(one.half_width, 2)}"
    how = " exact" if one.exact else ""
    changes = ", but not always" if one.changes else ""
    said = f"[{_COLOURS[one.standing]}]{one.standing}{changes}[/]"
    return f"{one.variable}: {measured}{how}{stated} {said}"


def _detail(cell: TableCell, screen: Console) -> None:
    """Everything about one cell."""
    stated = cell.stated
    said = "blank in the survey: new here"
    if stated is not None:
        cited = ", ".join(map(str, stated.references))
        errata = f", errata {', '.join(stated.errata)}" if stated.errata else ""
        said = f"survey: O(T^{float(stated.power):g}), references {cited}{errata}"
    lines = [
        f"[bold]{escape(cell.name)}[/]", escape(said),
        escape(f"{cell.trial.row.key}: {cell.method or cell.trial.row.what}, "
               f"on {cell.trial.problem}"),
        escape(f"theory: {cell.in_T.theorem or 'none'} ({cell.trial.basis})"),
    ]  # fmt: skip
    lines += [escape(cell.trial.note)] if cell.trial.note else []
    for one in cell.exponents:
        lines += [_exponent(one)]
        description = (
            one.regime_told, one.stability_told, one.unstated, one.evidence, one.provenance
        )  # fmt: skip
        lines += [f"  [dim]{escape(text)}[/]" for text in description if text]
    for cost in cell.costs:
        note = f" (erratum {cost.erratum}: printed {cost.printed})" if cost.erratum else ""
        lines.append(
            escape(
                f"{cost.who}: ledger {number(cost.measured, 6)} bits, "
                f"{cost.formula} = {number(cost.stated, 6)}{note}"
            )
        )
    for line in lines:
        screen.print(line, highlight=False, soft_wrap=True)

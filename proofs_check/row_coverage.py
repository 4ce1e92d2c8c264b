"""Rows covered by a check without a row of its own: closed forms, proofs, problems.

A closed form or proof (``prove_NAME``) named after a row is about that row; one named after a
theorem is about the rows that the theorem speaks of; it or its module names others (``covers``). So
``check ROW`` runs them, and a fault in what they check is seen from each of these rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

from algorithms.catalogue import ROWS, Row, row
from proofs_check.cell import Cell, CellKind
from proofs_check.prepare import name_of
from proofs_check.refute.certified import DERIVATIONS
from proofs_check.registry import CLOSED_FORMS
from proofs_check.verdict import Outcome, Verdict


def cells_of(key: str, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The row's own cells among ``cells``, and those that speak of it."""
    own = tuple(cell for cell in cells if cell.row == key)
    if not own:
        return ()
    on = {cell.problem for cell in own}
    others = (cell for cell in cells if not cell.row and row_coverage(cell, key, on))
    return (*own, *others)


def row_coverage(cell: Cell, key: str, problems: set[str]) -> bool:
    """Whether a cell without a row speaks of the row ``key``, which runs on ``problems``."""
    if cell.kind is CellKind.PROBLEM:
        return cell.problem in problems
    if cell.kind in (CellKind.PROOF, CellKind.CLOSED_FORM):
        return key in _rows_by_name()[cell.name]
    if cell.kind is CellKind.LIMIT:
        return cell.name in _results(row(key))
    return False


def rows_of(check: Callable[..., object]) -> tuple[str, ...]:
    """Keys of the rows that a proof or closed form speaks of.

    Raises:
        ValueError: its module names a row in COVERS that is none.
    """
    keys = {row.key for row in ROWS}
    name = check.__name__.removeprefix("prove_")
    named = {name.replace("_", "-")} & keys
    stated = {row.key for row in ROWS if name in _results(row)}
    covers = getattr(import_module(check.__module__), "COVERS", {})
    declared = set(covers.get(check.__name__, getattr(check, "covers", ())))
    if declared - keys:
        raise ValueError(
            f"{check.__module__} names rows in COVERS that are not: "
            f"{', '.join(sorted(declared - keys))}; `rateproof list` names those that are"
        )
    return tuple(sorted(named | stated | declared))


@cache
def of_every_row() -> tuple[Callable[[], tuple[Verdict, ...]], ...]:
    """Closed forms that all rows which run rest on, somebody's own as well."""
    running = {row.key for row in ROWS if row.recipe}
    return tuple(check for check in CLOSED_FORMS if running <= set(rows_of(check)))


def shared_parts() -> Iterator[Verdict]:
    """One verdict of each closed form of :func:`of_every_row`: the first that refutes, else the
    first."""
    for check in of_every_row():
        found = check()
        yield next((one for one in found if one.outcome is Outcome.REFUTED), found[0])


def _results(row: Row) -> set[str]:
    return {result.name for result in (*row.theorems, *row.results)}


@cache
def _rows_by_name() -> dict[str, tuple[str, ...]]:
    checks = (*DERIVATIONS, *CLOSED_FORMS)
    return {name_of(check): rows_of(check) for check in checks}

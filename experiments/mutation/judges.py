"""Judges of a subject: the cells of ``check ROW``, or what is said of an object of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

from experiments.closure.graph import Name
from experiments.closure.versions import ROOT, contents_of, with_rows
from experiments.mutation.judging import RefutingCheck
from experiments.ranks.user_objects import check_own
from proofs_check.audit.loading import imported
from proofs_check.cell import Cell, CellKind
from proofs_check.prepare import prepare, run_cell
from proofs_check.refute.attack import attack
from proofs_check.refute.claim import Claim
from proofs_check.refute.ours import claims_called
from proofs_check.row_coverage import cells_of
from proofs_check.suite import cells
from proofs_check.verdict import Outcome

_QUICK = (
    CellKind.WATCHED, CellKind.RUN, CellKind.LIMIT, CellKind.PROOF, CellKind.CLOSED_FORM,
    CellKind.OPERATOR, CellKind.TOPOLOGY, CellKind.PUSH, CellKind.BOUND, CellKind.WORKERS,
    CellKind.PROBLEM,
)  # fmt: skip
_ALWAYS = (CellKind.WATCHED, CellKind.LIMIT, CellKind.PROOF, CellKind.CLOSED_FORM)
_OF_ALL_ROWS = frozenset({("proofs_check.bounds.every", "BOUND_CHECKS")})
"""Where a proof finds the row's own bounds among those of all rows: these are no matter of it."""

_DIMENSION = 16  # of compressors of one's own, as `check` has it
_BUDGET = 5.0  # seconds for an attack on a theorem of one's own


def judges_of_row(key: str) -> Callable[[], Sequence[RefutingCheck]]:
    """The cells of ``check ROW``, one check each, in the order of :func:`by_turns`."""
    return lambda: [
        judge_of(_of_row(cell, key)) for cell in by_turns(cells_of(key, cells("quick")))
    ]


def _of_row(cell: Cell, key: str) -> Cell:
    """A proof that has parts for several rows (:func:`prove_best_constants`) as that of one: what
    it computes for others is no matter of the row."""
    return replace(cell, row=key) if cell.kind is CellKind.PROOF else cell


def content_of_row(key: str) -> tuple[frozenset[Name], str]:
    """Definitions that the cells of ``check ROW`` rest on, and their values as a text."""
    graph, own = with_rows(ROOT), cells_of(key, cells("quick"))
    found = [contents_of(prepare(cell), graph) for cell in own]
    names = set[Name]()
    for proofs in (False, True):
        roots = {
            root
            for cell, one in zip(own, found, strict=True)
            for root in one.roots
            if (cell.kind is CellKind.PROOF) is proofs
        }
        names |= graph.closure(roots, _OF_ALL_ROWS if proofs else frozenset())
    return frozenset(names), "\n".join(one.text for one in found)


def by_turns(own: Sequence[Cell]) -> list[Cell]:
    """Cells of short kinds first, one of each kind in turn, so that a few are of all kinds.

    Those that take no runs are all of the first turn.
    """
    turns: dict[CellKind, Iterator[int]] = {}

    def place(cell: Cell) -> tuple[bool, int, int]:
        turn = next(turns.setdefault(cell.kind, count()))
        short = cell.kind in _QUICK
        return (
            not short,
            0 if cell.kind in _ALWAYS else turn,
            _QUICK.index(cell.kind) if short else 0,
        )

    return sorted(own, key=place)


def judge_of(cell: Cell) -> RefutingCheck:
    """A cell as a check that may refute."""
    name = f"{cell.check} on {cell.problem}" if cell.problem else cell.check
    return RefutingCheck(name, partial(refutation, cell))


def refutation(cell: Cell) -> str:
    """The first verdict of a cell that refutes; "" if none does."""
    for verdict in run_cell(cell).verdicts:
        if verdict.outcome is Outcome.REFUTED:
            return f"{verdict.check}; {verdict.evidence}".replace("\n", " ")
    return ""


def judges_of_own(name: str) -> Callable[[], Sequence[RefutingCheck]]:
    """What ``check`` says of MODULE:ATTRIBUTE but on ranks, or ``refute`` of a theorem."""
    claim = isinstance(imported(name), Claim)
    words, refuting = ("refute", _broken) if claim else ("check", _refuted)
    return lambda: [RefutingCheck(f"{words} {name}", partial(refuting, name))]


def _refuted(name: str) -> str:
    for verdict in check_own(name, _DIMENSION, lambda _: None, ranks=0):
        if verdict.outcome is Outcome.REFUTED:
            return f"{verdict.check}; {verdict.evidence}".replace("\n", " ")
    return ""


def _broken(name: str) -> str:
    found = attack(name, claims_called(name), budget=_BUDGET, workers=1)
    return f"broken by {found.counterexamples[0]}"[:200] if found.counterexamples else ""

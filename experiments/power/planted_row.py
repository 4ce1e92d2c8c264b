"""``python -m experiments.power.planted_row ROW [FIRST]``: cells of a row until one is refuted.

What :mod:`experiments.power.planted_faults` runs in a copy of the tree. Exit code 1 and the verdict
if one is refuted, or if none is and a cell stops with an error; 0 and the number of cells else.
"""

from __future__ import annotations

import sys
import time

from experiments.commands.check import find
from proofs_check.cell import Cell, CellKind
from proofs_check.prepare import run_cell
from proofs_check.verdict import Outcome

MOST = 60.0
"""Processor time [s] after which no further cell is begun."""

STOPS = "stops: "
"""What the line of a fault begins with that no verdict refutes, but that stops a cell."""

_CHEAP = (
    CellKind.WATCHED, CellKind.TOPOLOGY, CellKind.PUSH, CellKind.OPERATOR, CellKind.CLOSED_FORM,
    CellKind.SYSTEM, CellKind.RUN, CellKind.EFFECT, CellKind.BOUND, CellKind.PROBLEM,
    CellKind.PROOF, CellKind.LIMIT, CellKind.WORKERS, CellKind.STUDY, CellKind.TABLE_IV,
)  # fmt: skip


def main(row: str, first: str = "") -> int:
    """Exit code; cells that hold ``first`` in their name or problem come first.

    Raises:
        ValueError: ``row`` is an operator.
    """
    found = find(row)
    if not isinstance(found, tuple):
        raise ValueError(f"{row} must be a row, got an operator; `rateproof list` names the rows")

    def order(cell: Cell) -> tuple[bool, int]:
        wanted = bool(first) and first in f"{cell.check} on {cell.problem}"
        return not wanted, _CHEAP.index(cell.kind)

    stopped, begin = "", time.process_time()
    for number, cell in enumerate(sorted(found, key=order), start=1):
        place = f"{number} of {len(found)}"
        if time.process_time() - begin > MOST:
            print(*filter(None, (stopped, f"{number - 1} of {len(found)}")), sep="\t")
            return int(bool(stopped))
        try:
            verdicts = run_cell(cell).verdicts
        except Exception as error:  # a fault that stops the program is seen, but by no verdict
            stopped = stopped or f"{STOPS}{cell.check} on {cell.problem}: {error!r}"[:150]
            stopped = stopped.replace("\n", " ").replace("\t", " ")
            continue
        for verdict in verdicts:
            if verdict.outcome is Outcome.REFUTED:
                description = f"{cell.check} on {cell.problem}: {verdict.check}; {verdict.evidence}"
                print(description.replace("\n", " ")[:220], place, sep="\t")
                return 1
    print(*filter(None, (stopped, f"{len(found)} of {len(found)}")), sep="\t")
    return int(bool(stopped))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

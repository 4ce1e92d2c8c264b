"""Programs of operations on rows as the table that the loop takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from algorithms.kernels import row_operations as ops
from algorithms.pipeline.row_programs import Number, Operation, Program, Register, asked_by


@final
class ProgramTable:
    """Programs as tables; registers of the state come first, in the order of ``rows``.

    Attributes:
        lines: operations ``[C, 7]``: kind, out, a, b, columns of the numbers s and u, which; of a
            message the operator in the place of s, of an exchange its links in the place of u, and
            of numbers one by one whether what the server has is read for every worker in the place
            of which.
        passes: where each program's passes begin and end ``[P, passes, 2]``.
        swaps: pairs of places ``[P, m, 2]``.
        held: registers that hold a row for every worker, those of the server last; ``weights``: one
            number for each.
        lone: place of the first of the server's.
        operators: which of the two operators makes each of the messages.
        rooms: rows that a block has for itself.
    """

    def __init__(
        self,
        programs: tuple[Program, ...],
        rows: tuple[Register, ...],
        operators: tuple[int, ...] = (0,),
    ) -> None:
        self.operators = operators
        parts = [program.passes for program in programs]
        kept = _kept(programs, parts, rows)
        own_rows = [row for row in kept if not row.weight]
        self.held = sorted(own_rows, key=lambda row: row.lone)
        self.lone = sum(not row.lone for row in own_rows)
        self.weights = [row for row in kept if row.weight]
        own = [_used(part, kept) for of_one in parts for part in of_one]
        self.rooms = max(map(len, own))
        self.places = {row: i for i, row in enumerate(self.held)}
        for rows_of_pass in own:
            self.places |= {row: len(self.held) + i for i, row in enumerate(rows_of_pass)}
        self.places |= {row: i for i, row in enumerate(self.weights)}
        self.numbers: list[Number] = [0.0]
        lines = [self._line(one) for of_one in parts for part in of_one for one in part]
        self.lines = np.array(lines, np.int64).reshape(-1, 7)
        self.passes, self.swaps = _bounds(parts), self._swaps(programs)

    def _line(self, one: Operation) -> tuple[int, ...]:
        registers = (self.places[row] for row in (one.out, one.a, one.b))
        number = self.operators[one.which] if one.kind == ops.SEND else self._column(one.s)
        wide = one.kind >= ops.ADD and bool(asked_by(one))
        second = one.link if one.kind in (*ops.EXCHANGES, ops.MIX_WEIGHTS) else self._column(one.u)
        return one.kind, *registers, number, second, int(wide) or one.which

    def _column(self, number: Number) -> int:
        if number not in self.numbers:
            self.numbers.append(number)
        return self.numbers.index(number)

    def _swaps(self, programs: Iterable[Program]) -> NDArray[np.int64]:
        pairs = [[(self.place(a), self.place(b)) for a, b in p.swaps] for p in programs]
        most = max(map(len, pairs))
        padded = [own + [(0, 0)] * (most - len(own)) for own in pairs]
        return np.array(padded, np.int64).reshape(len(pairs), most, 2)

    def place(self, row: Register) -> int:
        """Index of a register in the list of places: rows first, then weights."""
        return self.places[row] + (len(self.held) if row.weight else 0)

    def table(self, t: int, until: int, kind: Any) -> NDArray[Any]:
        """Numbers of the steps t, ..., ``until`` - 1, ``[T, K]``, rounded to the run's type."""
        values = np.empty((until - t, len(self.numbers)))
        for k, number in enumerate(self.numbers):
            values[:, k] = [number(s) for s in range(t, until)] if callable(number) else number
        return values.astype(kind)


def _used(part: tuple[Operation, ...], kept: dict[Register, None]) -> list[Register]:
    """Rows of one pass alone: passes one after another use the same room."""
    return list(dict.fromkeys(row for one in part for row in one[1:4] if row not in kept))


def _bounds(parts: list[list[tuple[Operation, ...]]]) -> NDArray[np.int64]:
    bounds = np.zeros((len(parts), max(map(len, parts)), 2), np.int64)
    line = 0
    for place, of_one in enumerate(parts):
        for number, part in enumerate(of_one):
            bounds[place, number] = line, line + len(part)
            line += len(part)
    return bounds


def _kept(
    programs: tuple[Program, ...],
    parts: list[list[tuple[Operation, ...]]],
    rows: tuple[Register, ...],
) -> dict[Register, None]:
    """Registers for all workers: the state's, those that others ask for, or trade places, or live
    longer than a pass."""
    kept = dict.fromkeys(rows)
    for program in programs:
        kept |= dict.fromkeys(row for pair in program.swaps for row in pair)
        for one in program.operations:
            if one.kind != ops.CHARGE:
                kept |= dict.fromkeys(row for row in one[1:4] if row in asked_by(one))
                kept |= dict.fromkeys([one.out] if one.kind == ops.MEAN else ())
                kept |= dict.fromkeys(row for row in one[1:4] if row.weight or row.lone)
    seen: dict[Register, tuple[int, int]] = {}
    for place, of_one in enumerate(parts):
        for number, part in enumerate(of_one):
            for row in (row for one in part for row in one[1:4]):
                if seen.setdefault(row, (place, number)) != (place, number):
                    kept[row] = None
    return kept

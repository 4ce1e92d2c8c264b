"""Steps along a graph, written as operations on rows, and as the table that the loop takes.

A method writes its step once more in the order of its own ``step``: what is a register for all
workers, what a block's own room, and where a pass ends follows from who asks whom for what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from algorithms.kernels import neighbour_steps as ops

Number = float | Callable[[int], float]
"""A number of a step, or what gives it by the step t."""


@final
class Register:
    """A row of d numbers of every worker; ``weight``: one number of every worker."""

    def __init__(self, weight: bool = False) -> None:
        self.weight = weight


class Operation(NamedTuple):
    """``kind`` of :mod:`algorithms.kernels.neighbour_steps`, and what it takes.

    Attributes:
        out: the register that is written.
        a: the first that is read.
        b: the second.
        s: the first number of the step.
        u: the second.
    """

    kind: int
    out: Register
    a: Register
    b: Register
    s: Number = 0.0
    u: Number = 0.0


def gradient(out: Register, at: Register) -> Operation:
    """The problem's gradient at a row."""
    return Operation(ops.GRADIENT, out, at, at)


def sent(out: Register, row: Register) -> Operation:
    """What others read of the operator's message for a row."""
    return Operation(ops.SEND, out, row, row)


def changed(row: Register, gamma: Number = 0.0) -> Operation:
    """The row itself, as the plan's ``change`` leaves it."""
    return Operation(ops.CHANGE, row, row, row, gamma)


def mixed(out: Register, of: Register) -> Operation:
    """The weighted sum over neighbours; of rows it is an exchange, which is charged."""
    return Operation(ops.MIX_WEIGHTS if of.weight else ops.MIX, out, of, of)


def averaged(out: Register, of: Register, spread: Register) -> tuple[Operation, Operation]:
    """The mean over workers, by way of a server; ``spread`` has room for it."""
    return Operation(ops.MEAN, spread, of, of), Operation(ops.SPREAD, out, spread, spread)


def add(out: Register, a: Register, b: Register) -> Operation:
    """The sum ``out`` = a + b."""
    return Operation(ops.ADD, out, a, b)


def subtract(out: Register, a: Register, b: Register) -> Operation:
    """The difference ``out`` = a - b."""
    return Operation(ops.SUBTRACT, out, a, b)


def plus_scaled(out: Register, a: Register, s: Number, b: Register) -> Operation:
    """The sum ``out`` = a + s b."""
    kind = ops.ADD_SCALED_ONTO if out is a else ops.ADD_SCALED
    return Operation(kind, out, a, b, s)


def scale(out: Register, s: Number, a: Register) -> Operation:
    """The multiple ``out`` = s a."""
    return Operation(ops.SCALE, out, a, a, s)


def divide(out: Register, a: Register, s: Number) -> Operation:
    """The quotient ``out`` = a / s."""
    return Operation(ops.DIVIDE, out, a, a, s)


def blend(out: Register, s: Number, a: Register, u: Number, b: Register) -> Operation:
    """The combination ``out`` = s a + u b."""
    return Operation(ops.BLEND, out, a, b, s, u)


def ratio(out: Register, a: Register, weight: Register) -> Operation:
    """a divided by the worker's one number."""
    return Operation(ops.RATIO, out, a, weight)


def copy(out: Register, a: Register) -> Operation:
    """A copy of a row: ``out`` = a."""
    return Operation(ops.COPY, out, a, a)


def finite(a: Register) -> Operation:
    """Nothing; where a is not finite the step is the method's own, which says so."""
    return Operation(ops.CHECK, a, a, a)


@final
@dataclass(frozen=True)
class Program:
    """One kind of step: its operations in order, and registers that trade places at its end.

    Attributes:
        swaps: pairs of those registers.
    """

    operations: tuple[Operation, ...]
    swaps: tuple[tuple[Register, Register], ...] = ()

    def count(self, *kinds: int) -> int:
        """How many of its operations are of these kinds."""
        return sum(operation.kind in kinds for operation in self.operations)

    @property
    def passes(self) -> list[tuple[Operation, ...]]:
        """Its operations in passes: a row is asked of others only after a pass that wrote it, and
        is written only after one in which others asked for it."""
        parts: list[list[Operation]] = [[]]
        written: set[Register] = set()
        asked: set[Register] = set()
        for one in self.operations:
            asks = one.kind in _ASKS
            if (asks and one.a in written) or one.out in asked:
                parts.append([])
                written, asked = set(), set()
            parts[-1].append(one)
            written.add(one.out)
            if asks:
                asked.add(one.a)
        return [tuple(part) for part in parts]


_ASKS = (ops.MIX, ops.MIX_WEIGHTS, ops.MEAN, ops.SPREAD)


@final
class ProgramTable:
    """Programs as tables; registers of the state come first, in the order of ``rows``.

    Attributes:
        lines: operations ``[C, 6]``: kind, out, a, b, columns of the numbers s and u.
        passes: where each program's passes begin and end ``[P, passes, 2]``.
        swaps: pairs of places ``[P, m, 2]``.
        held: registers that hold a row for every worker; ``weights``: one number for each.
        rooms: rows that a block has for itself.
    """

    def __init__(self, programs: tuple[Program, ...], rows: tuple[Register, ...]) -> None:
        parts = [program.passes for program in programs]
        kept = _kept(programs, parts, rows)
        self.held = [row for row in kept if not row.weight]
        self.weights = [row for row in kept if row.weight]
        own = [_used(part, kept) for of_one in parts for part in of_one]
        self.rooms = max(map(len, own))
        self.places = {row: i for i, row in enumerate(self.held)}
        for rows_of_pass in own:
            self.places |= {row: len(self.held) + i for i, row in enumerate(rows_of_pass)}
        self.places |= {row: i for i, row in enumerate(self.weights)}
        self.numbers: list[Number] = [0.0]
        lines = [self._line(one) for of_one in parts for part in of_one for one in part]
        self.lines = np.array(lines, np.int64).reshape(-1, 6)
        self.passes, self.swaps = _bounds(parts), self._swaps(programs)

    def _line(self, one: Operation) -> tuple[int, ...]:
        registers = (self.places[row] for row in (one.out, one.a, one.b))
        return one.kind, *registers, self._column(one.s), self._column(one.u)

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
        """Where a register stands in the list of places: rows first, then weights."""
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
            asked = (one.a, one.out) if one.kind == ops.MEAN else (one.a,)
            kept |= dict.fromkeys(asked if one.kind in _ASKS else ())
            kept |= dict.fromkeys(row for row in one[1:4] if row.weight)
    seen: dict[Register, tuple[int, int]] = {}
    for place, of_one in enumerate(parts):
        for number, part in enumerate(of_one):
            for row in (row for one in part for row in one[1:4]):
                if seen.setdefault(row, (place, number)) != (place, number):
                    kept[row] = None
    return kept

"""Steps along a graph, or with a server, written as operations on rows.

A method writes its step once more in the order of its own ``step``: what is a register for all
workers, what a block's own room, and where a pass ends follows from who asks whom for what.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

from algorithms.kernels import row_operations as ops

Number = float | Callable[[int], float]
"""A number of a step, or what gives it by the step t."""


@final
class Register:
    """A row of d numbers of every worker; ``weight``: one number of every worker; ``lone``: one row
    that the server has, or that is the same for all workers."""

    def __init__(self, weight: bool = False, lone: bool = False) -> None:
        self.weight, self.lone = weight, lone


def registers(count: int, *, lone: bool = False) -> tuple[Register, ...]:
    """Registers of one kind, so many."""
    return tuple(Register(lone=lone) for _ in range(count))


class Crossing(NamedTuple):
    """A message of every worker to the server (``up``), or of the server to every worker.

    Attributes:
        message: which of the plan's messages it is; None: an uncompressed row.
        mask: which of the plan's masks says what workers send, or hear; None: all do.
    """

    up: bool
    message: int | None = None
    mask: int | None = None


class Operation(NamedTuple):
    """``kind`` of :mod:`algorithms.kernels.row_operations`, and what it takes.

    Attributes:
        out: the register that is written.
        a: the first that is read.
        b: the second.
        s: the first number of the step.
        u: the second.
        which: of the plan's sources of gradients, messages or masks the one that it takes.
        crossings: what is charged for it.
        link: of the plan's links those of an exchange.
    """

    kind: int
    out: Register
    a: Register
    b: Register
    s: Number = 0.0
    u: Number = 0.0
    which: int = 0
    crossings: tuple[Crossing, ...] = ()
    link: int = 0


def gradient(out: Register, at: Register, source: int = 0) -> Operation:
    """The problem's gradient at a row, from the first source of the plan or the second."""
    return Operation(ops.GRADIENT, out, at, at, which=source)


def sent(out: Register, row: Register, message: int = 0) -> Operation:
    """Message of an operator for a row, as others read it; of a lone row it is the server's."""
    return Operation(ops.SEND, out, row, row, which=message)


def changed(row: Register, gamma: Number = 0.0) -> Operation:
    """The row itself, as the plan's ``change`` leaves it."""
    return Operation(ops.CHANGE, row, row, row, gamma)


def mixed(out: Register, of: Register, message: int | None = 0, link: int = 0) -> Operation:
    """The weighted sum over neighbours of the plan's links number ``link``; of rows it is an
    exchange, which is charged as one of a message of the plan's; None: not at all, since it is part
    of another."""
    kind = ops.MIX_WEIGHTS if of.weight else ops.MIX
    return Operation(kind, out, of, of, which=-1 if message is None else message, link=link)


def mixed_nearest(
    out: Register, of: Register, reader: Register, length: Number, message: int = 0
) -> Operation:
    """The reader's row, and the weighted differences between what neighbours have in ``of`` and its
    own, each less the multiple of ``length`` that brings it nearest to the reader; an exchange."""
    return Operation(ops.MIX_NEAREST, out, of, reader, length, which=message)


def averaged(out: Register, of: Register, spread: Register) -> tuple[Operation, Operation]:
    """The mean over workers, by way of a server; ``spread`` has room for it."""
    both = Crossing(True), Crossing(False)
    return (
        Operation(ops.MEAN, spread, of, of, crossings=both),
        Operation(ops.SPREAD, out, spread, spread),
    )


def gathered(
    mean: Register, of: Register, message: int | None = None, mask: int | None = None
) -> Operation:
    """The mean over workers of what they sent the server, a lone row; those outside the mask, whose
    rows are zero, sent nothing."""
    return Operation(ops.MEAN, mean, of, of, crossings=(Crossing(True, message, mask),))


def told(message: int | None = None, mask: int | None = None) -> Operation:
    """The charge of a row of the server's that all workers hear, or those of the mask."""
    none = Register()
    return Operation(ops.CHARGE, none, none, none, crossings=(Crossing(False, message, mask),))


def choose(out: Register, mask: int, a: Register, b: Register) -> Operation:
    """a of workers that are in the mask, b of the others."""
    return Operation(ops.CHOOSE, out, a, b, which=mask)


def keep(out: Register, mask: int, a: Register) -> Operation:
    """a of workers that are in the mask, zeros of the others."""
    return Operation(ops.KEEP, out, a, a, which=mask)


def multiply(out: Register, a: Register, b: Register) -> Operation:
    """a times b, number by number."""
    return Operation(ops.MULTIPLY, out, a, b)


def quotient(out: Register, a: Register, b: Register) -> Operation:
    """a over b, number by number."""
    return Operation(ops.QUOTIENT, out, a, b)


def root(out: Register, a: Register, s: Number = 0.0) -> Operation:
    """The root of a, plus s."""
    return Operation(ops.ROOT, out, a, a, s)


def zero(out: Register) -> Operation:
    """A row of zeros: ``out`` = 0."""
    return Operation(ops.ZERO, out, out, out)


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


def weighed(out: Register, a: Register) -> Operation:
    """a times every worker's own weight of the step, which the plan knows."""
    return Operation(ops.WEIGH, out, a, a)


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
        """Number of its operations of these kinds."""
        return sum(operation.kind in kinds for operation in self.operations)

    @property
    def passes(self) -> list[tuple[Operation, ...]]:
        """Its operations in passes: a row is asked of others only after a pass that wrote it, and
        is written only after one in which others asked for it."""
        parts: list[list[Operation]] = [[]]
        written: set[Register] = set()
        asked: set[Register] = set()
        for one in self.operations:
            if one.kind == ops.CHARGE:
                continue
            asks = asked_by(one)
            if asks & written or one.out in asked:
                parts.append([])
                written, asked = set(), set()
            parts[-1].append(one)
            written.add(one.out)
            asked |= asks
        return [tuple(part) for part in parts]


_ASKS = (*ops.EXCHANGES, ops.MIX_WEIGHTS, ops.MEAN, ops.SPREAD)


def asked_by(one: Operation) -> set[Register]:
    """Registers of which an operation of a worker reads more than the worker's own row."""
    asks = {one.a} if one.kind in _ASKS else set()
    return asks | ({row for row in (one.a, one.b) if row.lone} if not one.out.lone else set())

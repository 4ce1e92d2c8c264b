"""Marks in compiled code: whether an expression was computed, and whether a wrong one differs.

Compiled code cannot call the switch of :mod:`experiments.mutation.schemata`. It writes to two bytes
of this process's memory instead, whose address is a constant of the code.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, final

import numpy as np

MARK = "__mark__"
"""Name under which a module with a marked expression knows what marks it."""

_AROUND = (ast.BinOp, ast.UnaryOp, ast.Compare)
_READING = (ast.Subscript, ast.Call, ast.Attribute)


@final
class MemoryMark:
    """Two bytes that compiled code sets: that an expression was computed, and that the value of
    the wrong one was another.

    Attributes:
        bytes: the two.
    """

    def __init__(self) -> None:
        self.bytes = np.zeros(2, np.uint8)

    @property
    def reached(self) -> bool:
        """Whether the expression was computed."""
        return bool(self.bytes[0])

    @property
    def told(self) -> bool:
        """Whether the wrong value was another, or was not computed beside."""
        return bool(self.bytes[1])

    def function(self) -> Any:
        """What is called in the place of an expression, with its value and the wrong one if that is
        computed; gives the right one."""
        return _marking(int(self.bytes.ctypes.data))


def _marking(address: int) -> Any:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic, overload

    other = address + 1

    @intrinsic
    def store(typing, place):  # type: ignore[no-untyped-def]
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            byte = ir.IntType(8)
            builder.store(ir.Constant(byte, 1), builder.inttoptr(given[0], byte.as_pointer()))
            return context.get_dummy_value()

        return types.void(types.int64), generate

    def mark(right, wrong=None):  # type: ignore[no-untyped-def]
        raise NotImplementedError("for compiled code alone")

    @overload(mark)
    def compiled(right, wrong=None):  # type: ignore[no-untyped-def]
        of = right, wrong
        if all(isinstance(one, types.Float) for one in of):

            def real(right, wrong=None):  # type: ignore[no-untyped-def]
                store(address)  # type: ignore[call-arg]
                if not (right == wrong and np.signbit(right) == np.signbit(wrong)):
                    store(other)
                return right

            return real
        if all(isinstance(one, types.Number | types.Boolean) for one in of):

            def number(right, wrong=None):  # type: ignore[no-untyped-def]
                store(address)  # type: ignore[call-arg]
                if right != wrong:
                    store(other)
                return right

            return number

        def anything(right, wrong=None):  # type: ignore[no-untyped-def]
            store(address)  # type: ignore[call-arg]
            store(other)
            return right

        return anything

    return mark


def compared(
    node: ast.expr, wrong: ast.expr, parents: Mapping[int, ast.AST]
) -> ast.expr | None:  # fmt: skip
    """The largest arithmetic around ``node`` that can be computed twice, with ``wrong`` in its
    place the second time; None where that would read other memory or call something.

    What is read by the rest of it is read in the right expression too.
    """
    if any(isinstance(part, _READING) for one in (node, wrong) for part in ast.walk(one)):
        return None
    found, around = node, parents.get(id(node))
    while isinstance(around, _AROUND):
        found, around = around, parents.get(id(around))
    calls = any(isinstance(part, ast.Call) for part in ast.walk(found))
    return node if calls else found


def marked(right: ast.expr, wrong: ast.expr | None) -> ast.expr:
    """``right`` with its mark, beside ``wrong`` if that is computed."""
    given = [right] if wrong is None else [right, wrong]
    return ast.Call(ast.Name(MARK, ast.Load()), given, [])

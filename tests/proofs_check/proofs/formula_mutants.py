"""Mutants of the formulas behind a theorem's bound: one number or one operator is another."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any

from theory.theorem import Theorem

_SWAPS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip


def behind(theorem: Theorem, call: Callable[[], Any]) -> tuple[FunctionType, ...]:
    """Functions of theorems and their rules that ``call`` runs."""
    codes: set[CodeType] = set()

    def seen(frame: FrameType, event: str, _argument: Any) -> None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(("theory.theorems.", "theory.rules.")) and event == "call":
            codes.add(frame.f_code)

    sys.setprofile(seen)
    try:
        call()
    finally:
        sys.setprofile(None)
    rooms = [vars(one) for one in type(theorem).__mro__]
    rooms += [vars(m) for name, m in sys.modules.items() if name.startswith("theory.rules.")]
    rooms.append(vars(sys.modules[type(theorem).__module__]))
    found = {f.__code__: f for room in rooms for f in room.values() if isinstance(f, FunctionType)}
    return tuple(found[code] for code in codes if code in found and not code.co_freevars)


def mutants(function: FunctionType) -> Iterator[tuple[str, CodeType]]:
    """What was done, and the function's code with it."""
    source = textwrap.dedent(inspect.getsource(function))
    count = len(list(_sites(ast.parse(source))))
    for k in range(count):
        tree = ast.parse(source)
        node = list(_sites(tree))[k]
        if isinstance(node, ast.Constant):
            node.value = node.value + 1  # type: ignore[operator]
        else:
            node.op = _SWAPS[type(node.op)]()
        tree.body[0].decorator_list = []  # type: ignore[attr-defined]
        room: dict[str, Any] = dict(function.__globals__)
        exec(compile(tree, function.__code__.co_filename, "exec"), room)
        yield f"{function.__qualname__}: {ast.unparse(node)}", room[function.__name__].__code__


@contextmanager
def planted(function: FunctionType, code: CodeType) -> Iterator[None]:
    """The function with other code."""
    own = function.__code__
    function.__code__ = code
    try:
        yield
    finally:
        function.__code__ = own


def _sites(tree: ast.AST) -> Iterator[Any]:
    """Numbers and arithmetic, but for defaults (``x or 0``) and what is only compared."""
    if isinstance(tree, ast.BoolOp | ast.Compare | ast.arguments):
        return
    number = isinstance(tree, ast.Constant) and type(tree.value) in (int, float)
    if number or (isinstance(tree, ast.BinOp) and type(tree.op) in _SWAPS):
        yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _sites(child)

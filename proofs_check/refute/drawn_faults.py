"""Faults of a theorem's code, found by a walk over it: where, of which kind, what takes the place.

Code that prescribes a stepsize has none: a theorem may prescribe what it likes of what it allows.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import final

_LEFT_OUT = frozenset({"prescribed", "balance", "logarithm", "weight", "stepsize"})
_SETS = ("premises", "conditions")
_FACTORS = (0.5, 0.75, 0.9, 1.1, 4 / 3, 2.0)
_LONGER = (0.5, 0.8, 1.25, 2.0)

Change = tuple[str, ast.expr]


@final
@dataclass(frozen=True)
class TheoremFault:
    """A wrong expression in a theorem's code.

    Attributes:
        kind: what the fault is.
        index: number of the expression in a walk over the module.
        number: which of its changes.
        line: where it stands.
        before: its source.
        after: what takes its place.
    """

    kind: str
    index: int
    number: int
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.kind} in line {self.line}: {self.before} -> {self.after}"


def faults(tree: ast.Module) -> Iterator[TheoremFault]:
    """All faults of a module's functions."""
    places = {id(node): k for k, node in enumerate(ast.walk(tree))}
    for node, function in _expressions(tree):
        for number, (kind, other) in enumerate(_changes(node, function)):
            yield TheoremFault(
                kind, places[id(node)], number, node.lineno, ast.unparse(node), ast.unparse(other)
            )


def with_fault(tree: ast.Module, fault: TheoremFault) -> ast.Module:
    """A copy of the module with the fault."""
    copy = deepcopy(tree)
    at = list(ast.walk(copy))[fault.index]
    function = next(name for node, name in _expressions(copy) if node is at)
    assert isinstance(at, ast.expr)
    other = list(_changes(at, function))[fault.number][1]
    made = _FaultPlacer(at, ast.copy_location(other, at)).visit(copy)
    assert isinstance(made, ast.Module)
    return ast.fix_missing_locations(made)


class _FaultPlacer(ast.NodeTransformer):
    """Another expression in the place of one."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """The new one where the old one stands."""
        return self._new if node is self._old else super().visit(node)


def _expressions(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Expressions of functions that say what a theorem says, with the function's name."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name not in _LEFT_OUT:
            yield from ((node, function.name) for node in _parts(function.body))


def _parts(nodes: list[ast.stmt]) -> Iterator[ast.expr]:
    for statement in nodes:
        if isinstance(statement, ast.Raise):
            continue
        for node in ast.iter_child_nodes(statement):
            if isinstance(node, ast.expr):
                yield from _within(node)
            elif isinstance(node, ast.stmt):
                yield from _parts([node])


def _within(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.JoinedStr):
        return
    yield node
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            yield from _within(part)


def _changes(node: ast.expr, function: str) -> Iterator[Change]:
    for change in _KINDS:
        yield from change(node, function)


def _exponent(node: ast.expr, function: str) -> Iterator[Change]:
    """A power one or half of it away, or a constant squared or its root."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        yield "exponent", deepcopy(node.left)
        yield "exponent", ast.BinOp(deepcopy(node), ast.Pow(), ast.Constant(1.5))
    if _constant(node):
        for power in (0.5, 2):
            yield "exponent", ast.BinOp(deepcopy(node), ast.Pow(), ast.Constant(power))


def _factor(node: ast.expr, function: str) -> Iterator[Change]:
    """A product, quotient or number of another size."""
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div)
    number = (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and node.value not in (0, 1)
    )
    if product or number:
        for factor in _FACTORS:
            yield "constant", _times(factor, node)


def _term(node: ast.expr, function: str) -> Iterator[Change]:
    """A sum, a tuple of terms or the larger of several without one of them."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield "missing term", deepcopy(node.left)
        yield "missing term", deepcopy(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        yield "missing term", deepcopy(node.left)
    if isinstance(node, ast.Tuple) and function == "floors":
        for k in range(len(node.elts)):
            zero = [*node.elts[:k], ast.Constant(0.0), *node.elts[k + 1 :]]
            yield "missing term", ast.Tuple([deepcopy(one) for one in zero], ast.Load())
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
        if node.func.id in ("max", "min"):
            for one in node.args:
                if not isinstance(one, ast.Starred):
                    yield "missing term", deepcopy(one)


def _sign(node: ast.expr, function: str) -> Iterator[Change]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield "sign", ast.BinOp(deepcopy(node.left), other, deepcopy(node.right))


def _limit(node: ast.expr, function: str) -> Iterator[Change]:
    """The limit that a condition holds a stepsize to, longer or shorter."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("at_most", "at_least", "equal") and len(node.args) == 4:
            for factor in _LONGER:
                args = [*node.args[:2], _times(factor, node.args[2]), node.args[3]]
                yield "limit", ast.Call(deepcopy(node.func), [deepcopy(a) for a in args], [])
    if function == "limit" and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        for factor in _LONGER:
            yield "limit", _times(factor, node)


def _assumption(node: ast.expr, function: str) -> Iterator[Change]:
    if isinstance(node, ast.Tuple) and function in _SETS:
        conditions = [one for one in node.elts if isinstance(one, ast.Call | ast.Tuple)]
        if len(conditions) == len(node.elts):
            for k in range(len(node.elts)):
                left = [deepcopy(one) for j, one in enumerate(node.elts) if j != k]
                yield "assumption left out", ast.Tuple(left, ast.Load())


def _constant(node: ast.expr) -> bool:
    """Whether it reads a constant of the setting."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("need", "positive")
    )


def _times(factor: float, node: ast.expr) -> ast.expr:
    return ast.BinOp(ast.Constant(factor), ast.Mult(), deepcopy(node))


_KINDS: tuple[Callable[[ast.expr, str], Iterator[Change]], ...] = (
    _exponent, _factor, _term, _sign, _limit, _assumption,
)  # fmt: skip

"""Formulas that a user's claim states as text, changed as code would be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.mutation.operators import SitePlace, WrongExpression

_ARGUMENTS = ("bound", "limit", "stepsize")  # of rateproof.claim


def formula_changes(
    node: ast.expr, place: SitePlace,
    changes: Callable[[ast.expr, SitePlace], Iterator[WrongExpression]],
) -> Iterator[WrongExpression]:  # fmt: skip
    """Wrong texts in the place of a formula's, each with one of the ``changes`` of code."""
    own = not place.module.startswith(("algorithms.", "theory."))
    if not (own and isinstance(place.parent, ast.keyword) and place.parent.arg in _ARGUMENTS):
        return
    text = node.value if isinstance(node, ast.Constant) else None
    try:
        tree = ast.parse(text, mode="eval") if isinstance(text, str) else None
    except SyntaxError:
        return
    for parent in ast.walk(tree) if tree else ():
        within = place._replace(module="", function=place.parent.arg, parent=parent)
        parts = [part for part in ast.iter_child_nodes(parent) if isinstance(part, ast.expr)]
        for part in parts:
            for change in changes(part, within):
                wrong = ast.Constant(ast.unparse(in_place(tree, part, change.node)))
                yield change._replace(
                    node=ast.fix_missing_locations(ast.copy_location(wrong, node))
                )


def in_place(around: Any, node: ast.expr, wrong: ast.expr) -> Any:
    """A copy of an expression with ``wrong`` in the place of ``node``."""
    if around is node:
        return wrong
    if isinstance(around, list):
        return [in_place(one, node, wrong) for one in around]
    if not isinstance(around, ast.AST):
        return around
    fields = {name: in_place(value, node, wrong) for name, value in ast.iter_fields(around)}
    return ast.copy_location(type(around)(**fields), around)

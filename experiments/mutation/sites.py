"""Sites of mutants: expressions of a module's definitions that an operator can change.

What is written for readers (texts, names, formulas, errors and the conditions that only raise
them), annotations and decorators have none.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import final

from experiments.mutation.operators import SitePlace, WrongExpression, changes

_TOLD = ("name", "title", "formula", "describe", "symbol", "__repr__", "__str__", "row", "label")
COMPILERS = ("njit", "intrinsic", "overload", "cfunc", "jit")
"""Names of what compiles a function."""


@final
@dataclass(frozen=True)
class Mutant:
    """A wrong expression at one site.

    Attributes:
        module: dotted name of the module.
        file: where its source lies.
        index: number of the expression among all nodes of the module, in the order of a walk.
        number: number of the change among those of this expression.
        kind: what the fault is.
        function: the innermost function around it, "" outside of any.
        definition: the definition at the module's top level that holds it.
        line: line of the expression.
        before: its source.
        after: what takes its place.
        deferred: whether it is computed when a function runs that is not compiled; else when its
            module is imported, or in compiled code.
    """

    module: str
    file: str
    index: int
    number: int
    kind: str
    function: str
    definition: str
    line: int
    before: str
    after: str
    deferred: bool

    def __str__(self) -> str:
        where = f"{self.module.replace('.', '/')}.py:{self.line}"
        return f"{where} {self.kind}: {self.before} -> {self.after}"


def mutants(module: str, file: Path, definitions: frozenset[str] | None = None) -> list[Mutant]:
    """Mutants of a module's ``definitions``, of all that it has if None is given.

    Raises:
        SyntaxError: the file is not Python.
    """
    tree = parsed(file)
    number = {id(node): index for index, node in enumerate(ast.walk(tree))}
    found = []
    for statement in tree.body:
        own = names_of(statement)
        if definitions is not None and not own & definitions:
            continue
        name = next(iter(sorted(own & (definitions or own))), "")
        for node, place, deferred in _expressions(statement, SitePlace(module, "", tree)):
            for count, change in enumerate(changes(node, place)):
                found.append(
                    Mutant(
                        module, str(file), number[id(node)], count, change.kind, place.function,
                        name, node.lineno, ast.unparse(node), ast.unparse(change.node), deferred,
                    )
                )  # fmt: skip
    return found


def read_by_functions_alone(mutant: Mutant) -> bool:
    """Whether it lies in a private constant of its module that no compiled code reads, and nothing
    at import: who computes it is who reads the constant."""
    own, tree = mutant.definition, parsed(Path(mutant.file))
    if mutant.deferred or mutant.function or not own.startswith("_") or ".kernels" in mutant.module:
        return False
    made = [one for one in tree.body if own in names_of(one) and isinstance(one, ast.Assign)]
    later = {id(node) for node in _in_functions(tree)}
    return len(made) == 1 and all(id(node) in later for node in reads(tree, own))


def entry_keys(mutant: Mutant) -> tuple[str, ...]:
    """Keys of the entries of a module's table in which it lies; none where it lies in no such."""
    if mutant.deferred or mutant.function or ".kernels" in mutant.module:
        return ()
    tree = parsed(Path(mutant.file))
    node = list(ast.walk(tree))[mutant.index]
    table = table_of(tree, mutant.definition)
    for key, value in zip(table.keys, table.values, strict=True) if table else ():
        if (
            key is None
            and isinstance(value, ast.Call)
            and ast.unparse(value.func) == "dict.fromkeys"
        ):
            names, own = value.args[0], value.args[1:]
            if any(node in ast.walk(part) for part in own):
                return _literals(names)
        elif isinstance(key, ast.Constant) and node in ast.walk(value):
            return _literals(ast.Tuple([key]))
    return ()


def _literals(names: ast.expr) -> tuple[str, ...]:
    parts = names.elts if isinstance(names, ast.Tuple | ast.List) else []
    texts = [one.value for one in parts if isinstance(one, ast.Constant)]
    held = [one for one in texts if isinstance(one, str)]
    return tuple(held) if held and len(held) == len(parts) else ()


def table_of(tree: ast.Module, name: str) -> ast.Dict | None:
    """The display of a dictionary that a module binds to a name, once."""
    made = [
        one for one in tree.body
        if name in names_of(one) and isinstance(one, ast.Assign | ast.AnnAssign)
    ]  # fmt: skip
    value = made[0].value if len(made) == 1 else None
    return value if isinstance(value, ast.Dict) else None


def reads(tree: ast.Module, name: str) -> list[ast.Name]:
    """Where a module reads a name."""
    return [
        node for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]  # fmt: skip


def _in_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes under one that are computed when a function runs that is not compiled."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            if not {_root(one) for d in part.decorator_list for one in ast.walk(d)} & {*COMPILERS}:
                for statement in part.body:
                    yield from ast.walk(statement)
        else:
            yield from _in_functions(part)


@cache
def parsed(file: Path) -> ast.Module:
    """The module's tree, which nobody changes."""
    return ast.parse(file.read_text(encoding="utf-8"))


def changed(mutant: Mutant, node: ast.expr, parent: ast.AST) -> ast.expr:
    """The expression that takes the place of ``node``."""
    place = SitePlace(mutant.module, mutant.function, parent)
    found: list[WrongExpression] = list(changes(node, place))
    return found[mutant.number].node


def address(mutant: Mutant) -> str:
    """``FILE:FUNCTION: STATEMENT: BEFORE -> AFTER #K``, which no other mutant of the module has.

    The statement is the innermost around the expression, a compound one's first line; K counts
    alike ones in the order of the source's walk, from 1.
    """
    return _addresses(mutant.module, Path(mutant.file))[mutant.index, mutant.number]


@cache
def _addresses(module: str, file: Path) -> dict[tuple[int, int], str]:
    """Addresses of all mutants of a module, by number of the expression and of the change."""
    inner, alike = _statements(file), Counter[str]()
    found: dict[tuple[int, int], str] = {}
    for one in sorted(mutants(module, file), key=lambda m: (m.index, m.number)):
        where = f"{module.replace('.', '/')}.py:{one.function}: {inner[one.index]}"
        text = f"{where}: {one.before} -> {one.after}"
        alike[text] += 1
        found[one.index, one.number] = f"{text} #{alike[text]}"
    return found


@cache
def _statements(file: Path) -> dict[int, str]:
    """First line of the innermost statement around each node of a module, by the node's number."""
    tree = parsed(file)
    inner: dict[int, str] = {}
    for statement in ast.walk(tree):  # outer ones first
        if isinstance(statement, ast.stmt):
            line = ast.unparse(statement).partition("\n")[0]
            inner.update((id(node), line) for node in ast.walk(statement))
    return {number: inner.get(id(node), "") for number, node in enumerate(ast.walk(tree))}


def names_of(statement: ast.stmt) -> set[str]:
    """Names that a statement at a module's top level defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {t.id for t in targets if isinstance(t, ast.Name)}
    return set()


def _expressions(node: ast.AST, place: SitePlace, deferred: bool = False, compiled: bool = False,
                 ) -> Iterator[tuple[ast.expr, SitePlace, bool]]:  # fmt: skip
    """Expressions under a node that take part in what is computed."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if node.name in _TOLD:
            return
        made = {_root(part) for decorator in node.decorator_list for part in ast.walk(decorator)}
        compiled = compiled or bool(made & set(COMPILERS)) or ".kernels" in place.module
        yield from _all([*node.args.defaults, *filter(None, node.args.kw_defaults)], node, place,
                        deferred, compiled)  # fmt: skip
        inside = SitePlace(place.module, node.name, node)
        yield from _all(node.body, node, inside, not compiled, compiled)
        return
    if isinstance(node, ast.Lambda):
        yield from _all([node.body], node, place, not compiled, compiled)
        return
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.pattern):
        return
    if isinstance(node, ast.Call) and _root(node.func) in ("Source", "Statement"):
        return
    if isinstance(node, ast.If) and all(isinstance(s, ast.Raise) for s in node.body):
        yield from _all(node.orelse, node, place, deferred, compiled)
        return
    if isinstance(node, ast.Assign | ast.AnnAssign) and not place.function:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name) and target.id in (*_TOLD, "example", "source"):
            return
    if isinstance(node, ast.expr):
        yield node, place, deferred
    skipped = {"annotation", "returns", "decorator_list", "bases", "type_params"}
    for name, value in ast.iter_fields(node):
        if name not in skipped:
            parts = value if isinstance(value, list) else [value]
            inner = [part for part in parts if isinstance(part, ast.AST)]
            yield from _all(inner, node, place, deferred, compiled)


def _all(nodes: list[ast.AST] | list[ast.stmt] | list[ast.expr], parent: ast.AST, place: SitePlace,
         deferred: bool, compiled: bool) -> Iterator[tuple[ast.expr, SitePlace, bool]]:  # fmt: skip
    for node in nodes:
        yield from _expressions(node, place._replace(parent=parent), deferred, compiled)


def _root(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""

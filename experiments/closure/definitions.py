"""The top-level definitions of one source file, and what each of them reads.

A definition is everything at the top level of a module that binds or changes one name: a function,
a class, an assignment, a loop that fills a table. Comments between definitions belong to none.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import final

Chain = tuple[str, ...]
"""``a.b.c`` as ``("a", "b", "c")``."""

_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

ALWAYS = ""
"""The name under which a module keeps statements that bind nothing: they concern all of it."""


@final
@dataclass(frozen=True)
class SourcePiece:
    """A piece of source: its ``text``, where it lies (``first`` to ``last`` line), what it reads.

    ``reads`` are dotted names, ``imports`` those that it imports itself (module, name), ``words``
    the string constants in it: they may name a package that is discovered, or a data file.
    """

    text: str
    first: int
    last: int
    reads: frozenset[Chain]
    imports: frozenset[tuple[str, str]]
    words: frozenset[str]


@final
@dataclass(frozen=True)
class ParsedModule:
    """A parsed module.

    ``definitions`` maps a name to the statements that make it; ``bindings`` maps an imported name
    to (module, name in it), or to (module, "") where the module itself is bound; ``lambdas`` are
    the lambda expressions anywhere in it.
    """

    definitions: dict[str, tuple[SourcePiece, ...]]
    bindings: dict[str, tuple[str, str]]
    lambdas: tuple[SourcePiece, ...]

    def around(self, line: int) -> tuple[str, ...]:
        """The names whose definition spans this line."""
        return tuple(
            name
            for name, statements in self.definitions.items()
            if any(s.first <= line <= s.last for s in statements)
        )


def parse(text: str, package: str) -> ParsedModule:
    """Read a module of ``package`` (dotted, "" at the top).

    Raises:
        SyntaxError: it is not Python.
    """
    tree, lines = ast.parse(text), text.splitlines()
    walked = [(node, _walked(node)) for node in tree.body]
    own_names = _own_names(walked, text) if _shadowed(walked, package) else {}
    definitions: dict[str, tuple[SourcePiece, ...]] = {}
    bindings: dict[str, tuple[str, str]] = {}
    lambdas: list[ast.Lambda] = []
    for node, inside in walked:
        bindings |= _imported(inside if _compound(node) else [node], package)
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_text(node):
            continue
        lambdas += (n for n in inside if isinstance(n, ast.Lambda))
        hidden = own_names.get(getattr(node, "name", ""), frozenset())
        statement = _statement(node, inside, lines, package, hidden)
        for name in _bound(node, inside) or {ALWAYS}:
            definitions[name] = (*definitions.get(name, ()), statement)
    return ParsedModule(
        definitions,
        bindings,
        tuple(_statement(n, _walked(n), lines, package) for n in lambdas),
    )


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _compound(node: ast.stmt) -> bool:
    return isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While)


def _statement(
    node: ast.stmt | ast.Lambda, inside: Sequence[ast.AST], lines: Sequence[str], package: str,
    hidden: frozenset[str] = frozenset(),
) -> SourcePiece:  # fmt: skip
    """A piece of source; ``inside`` are all nodes of it, ``hidden`` names that are its own."""
    decorators = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(d.lineno for d in decorators)])
    last = node.end_lineno or node.lineno
    return SourcePiece(
        text="\n".join(lines[first - 1 : last]),
        first=first,
        last=last,
        reads=frozenset(one for one in _chains(inside) if one[0] not in hidden),
        imports=frozenset(_imported(inside, package).values()),
        words=frozenset(
            n.value for n in inside if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ),
    )


Walked = Sequence[tuple[ast.stmt, Sequence[ast.AST]]]
"""Statements of a module, each with all nodes in it."""


def _shadowed(walked: Walked, package: str) -> bool:
    """Whether a function or class binds a name that its module has too."""
    known: set[str] = set()
    for node, inside in walked:
        known |= _imported(inside if _compound(node) else [node], package).keys()
        known |= _bound(node, inside)
    return any(
        (n.arg if isinstance(n, ast.arg) else n.id) in known
        for node, inside in walked
        if isinstance(node, _SCOPES)
        for n in inside
        if isinstance(n, ast.arg) or (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    )


def _own_names(walked: Walked, text: str) -> dict[str, frozenset[str]]:
    """By function or class at a module's top level, names that are its own wherever it says them:
    parameters and variables, in whose place the module may have a definition of the same name.

    A name that two definitions of one name share, or that is said in a decorator, a default, a base
    or an annotation, is the module's.
    """
    found: dict[str, frozenset[str]] = {}
    twice: set[str] = set()
    for table in symtable.symtable(text, "a module", "exec").get_children():
        own, of_module = set[str](), set[str]()
        _sort_names(table, own, of_module)
        twice |= {table.get_name()} & found.keys()
        found[table.get_name()] = frozenset(own - of_module)
    for node, inside in walked:
        if isinstance(node, _SCOPES):
            outside = [part for each in inside for part in _read_outside(each)]
            said = {n.id for part in outside for n in _walked(part) if isinstance(n, ast.Name)}
            found[node.name] = found.get(node.name, frozenset()) - said
    return {name: own for name, own in found.items() if name not in twice}


def _read_outside(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of a function or class that are read where it is defined, and annotations."""
    if isinstance(node, _SCOPES):
        yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from (*node.bases, *(one.value for one in node.keywords))
    if isinstance(node, ast.arguments):
        yield from (one for one in (*node.defaults, *node.kw_defaults) if one is not None)
    for name in ("annotation", "returns"):
        if (part := getattr(node, name, None)) is not None:
            yield part


def _sort_names(table: symtable.SymbolTable, own: set[str], of_module: set[str]) -> None:
    """What a scope and those in it have of their own, and what is the module's in one of them: the
    body of a class may read the module's before it binds the same name."""
    body = table.get_type() == "class"
    for symbol in table.get_symbols():
        outer = symbol.is_global() or (body and symbol.is_referenced())
        (of_module if outer else own).add(symbol.get_name())
    for child in table.get_children():
        _sort_names(child, own, of_module)


def _walked(node: ast.AST) -> list[ast.AST]:
    """A node and all nodes in it, parents first: ``ast.walk`` in a third of its time."""
    found = [node]
    for one in found:  # which grows
        for name in one._fields:
            part = getattr(one, name, None)
            if isinstance(part, ast.AST):
                found.append(part)
            elif isinstance(part, list):
                found += [each for each in part if isinstance(each, ast.AST)]
    return found


def _chains(inside: Sequence[ast.AST]) -> Iterator[Chain]:
    """Dotted names that are read among nodes, parents first, each as long as it goes."""
    held: set[int] = set()  # what a longer name holds
    for node in inside:
        if isinstance(node, ast.Name | ast.Attribute) and (chain := _chain(node)):
            if id(node) not in held:
                yield chain
            if isinstance(node, ast.Attribute):
                held.add(id(node.value))


def _chain(node: ast.AST) -> Chain:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        start = _chain(node.value)
        return (*start, node.attr) if start else ()
    return ()


def _imported(nodes: Iterable[ast.AST], package: str) -> dict[str, tuple[str, str]]:
    """Names that import statements among the nodes bind."""
    found: dict[str, tuple[str, str]] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = (alias.name if alias.asname else top, "")
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, package)
            for alias in node.names:
                found[alias.asname or alias.name] = (module, alias.name)
    return found


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _bound(node: ast.stmt, inside: Sequence[ast.AST]) -> set[str]:
    """Names that a statement binds, or whose value it changes by an item or attribute."""
    if isinstance(node, _SCOPES):
        return {node.name}
    if isinstance(node, ast.Expr):
        return set()
    inner = {id(n) for c in inside if isinstance(c, ast.comprehension)
             for n in ast.walk(c.target)}  # fmt: skip
    targets = [
        n
        for n in inside
        if id(n) not in inner
        and isinstance(n, ast.Name | ast.Subscript | ast.Attribute)
        and isinstance(n.ctx, ast.Store | ast.Del)
    ]
    return {_root(target) for target in targets} - {""}


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""

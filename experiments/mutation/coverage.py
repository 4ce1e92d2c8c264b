"""Compiled functions: which of them a check has used, and which hold a changed definition."""

from __future__ import annotations

import ast
import gc
import symtable
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, final

from experiments.closure.graph import WHOLE, DefinitionGraph, Name
from experiments.mutation.sites import Mutant


def name_of(function: Callable[..., Any]) -> Name:
    """Module and definition at its top level of a function in Python."""
    return function.__module__, function.__qualname__.partition(".")[0]


def compiled_functions(*, used: bool) -> frozenset[Name]:
    """Functions of this process that numba compiles, or only those that it has compiled or read."""
    try:
        from numba.core.dispatcher import Dispatcher
    except ImportError:
        return frozenset()
    every: list[Any] = [one for one in gc.get_objects() if issubclass(type(one), Dispatcher)]
    return frozenset(name_of(one.py_func) for one in every if one.overloads or not used)


@contextmanager
def compilations() -> Iterator[list[object]]:
    """Inside, numba's events of functions that it compiles, and does not read from its store, are
    noted."""
    try:
        from numba.core import event
    except ImportError:
        yield []
        return
    with event.install_recorder("numba:compile") as heard:
        yield heard.buffer


@final
class CompiledCode:
    """Which compiled functions hold a definition, by the definitions that they reach.

    A compiled function has the code of those that it calls in it, so that it is compiled anew where
    one of them is changed; what it calls by a pointer is compiled by itself.
    """

    def __init__(self, graph: DefinitionGraph) -> None:
        self._graph = graph
        self._reached: dict[Name, frozenset[Name]] = {}

    def holds(self, function: Name, mutant: Mutant) -> bool:
        """Whether the compiled ``function`` has the mutant's definition in it.

        One of a module that is none of the project is taken to hold all of the user's own.
        """
        if mutant.module not in self._graph:
            return function[0] not in self._graph
        if function not in self._reached:
            self._reached[function] = compiled_closure(self._graph, [function])
        reached = self._reached[function]
        if not mutant.definition:  # outside of all definitions: all that read the module
            return any(module == mutant.module for module, _ in reached)
        return any((mutant.module, name) in reached for name in (mutant.definition, WHOLE))


def compiled_closure(graph: DefinitionGraph, roots: Iterable[Name]) -> frozenset[Name]:
    """The roots and all that they reach by names of their modules.

    A parameter or a variable of a compiled function that is called as another definition of its
    module is not that definition.
    """
    seen: set[Name] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += _reached_by_name(graph, name)
    return frozenset(seen)


def _reached_by_name(graph: DefinitionGraph, name: Name) -> Iterable[Name]:
    module, own = name
    every = graph.edges(name)
    if module not in graph or own == WHOLE:
        return every
    local = _local(graph.files[module]).get(own, frozenset())
    return [one for one in every if one[0] != module or one[1] not in local]


@cache
def _local(file: Path) -> dict[str, frozenset[str]]:
    """By function at a module's top level, names that are its own wherever it says them."""
    text = file.read_text(encoding="utf-8")
    found: dict[str, frozenset[str]] = {}
    for table in symtable.symtable(text, str(file), "exec").get_children():
        if table.get_type() == "function":
            own, of_module = set[str](), set[str]()
            _sort(table, own, of_module)
            found[table.get_name()] = frozenset(own - of_module)
    for node in ast.walk(ast.parse(text)):  # decorators and defaults are of the module
        if isinstance(node, ast.FunctionDef) and node.name in found:
            outside = [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]
            said = {n.id for o in outside if o for n in ast.walk(o) if isinstance(n, ast.Name)}
            found[node.name] -= said
    return found


def _sort(table: symtable.SymbolTable, own: set[str], of_module: set[str]) -> None:
    for symbol in table.get_symbols():
        (of_module if symbol.is_global() else own).add(symbol.get_name())
    for child in table.get_children():
        _sort(child, own, of_module)

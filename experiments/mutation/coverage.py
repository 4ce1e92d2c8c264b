"""Compiled functions: which of them a check has used, and which hold a changed definition."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
            self._reached[function] = self._graph.closure([function])
        reached = self._reached[function]
        if not mutant.definition:  # outside of all definitions: all that read the module
            return any(module == mutant.module for module, _ in reached)
        return any((mutant.module, name) in reached for name in (mutant.definition, WHOLE))

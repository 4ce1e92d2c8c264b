"""Contents of a value: plain data as text, classes and functions as definitions."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from itertools import chain
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, final

import numpy as np
import sympy
import torch

from experiments.closure.graph import WHOLE, DefinitionGraph, Name

_PLAIN = (bool, int, float, complex, str, bytes, type(None), Fraction, PurePath, np.generic)
_TORCH = (torch.dtype, torch.device, torch.Size)


@final
class Contents:
    """Collects, over values given to :meth:`add`, their ``text`` and the definitions they rest on.

    Two values with equal text whose definitions have equal sources compute the same.
    """

    def __init__(self, graph: DefinitionGraph) -> None:
        self._graph = graph
        self._texts: list[str] = []
        self._inside: list[int] = []  # what is being written out, by identity
        self.roots: set[Name] = set()

    @property
    def text(self) -> str:
        """The values, written out."""
        return "\n".join(self._texts)

    def add(self, value: Any) -> None:
        """Take in a value and all that it holds.

        Raises:
            TypeError: it is of a type that cannot be written out.
        """
        if isinstance(value, _PLAIN) or isinstance(value, _TORCH):
            self._texts.append(f"{type(value).__name__} {value!r}")
        elif id(value) in self._inside:
            self._texts.append(f"the value around it, {self._inside.index(id(value))}")
        else:
            self._inside.append(id(value))
            self._add_new(value)
            self._inside.pop()

    def _add_new(self, value: Any) -> None:
        match value:
            case Enum():
                self._of_class(type(value), value.name)
            case type():
                self._of_class(value)
            case tuple() | list():
                self._all(type(value).__name__, value)
            case set() | frozenset():
                self._all(type(value).__name__, sorted(value, key=repr))
            case dict():
                self._all("dict", (part for item in value.items() for part in item))
            case functools.partial():
                self._all("partial", (value.func, value.args, value.keywords))
                module = getattr(value.func, "__module__", "")
                within = (one for one in value.args if isinstance(one, tuple))
                words = (*value.args, *chain.from_iterable(within))
                self.roots.update(self._graph.rows_of(module, words))
            case MethodType():
                self._all(f"method {value.__name__}", (value.__self__,))
            case FunctionType():
                self._function(value)
            case ModuleType():
                self._root(value.__name__, WHOLE)
            case np.ndarray() | torch.Tensor():
                array = np.ascontiguousarray(value)
                digest = hashlib.sha256(array.tobytes()).hexdigest()
                self._texts.append(f"{array.dtype} {array.shape} {digest}")
            case sympy.Basic():
                self._texts.append(sympy.srepr(value))
            case BuiltinFunctionType():
                self._texts.append(f"{value.__module__}.{value.__qualname__}")
            case _:
                self._instance(value)

    def _all(self, what: str, values: Iterable[Any]) -> None:
        self._texts.append(f"{what} (")
        for value in values:
            self.add(value)
        self._texts.append(")")

    def _of_class(self, kind: type, member: str = "") -> None:
        self._root(kind.__module__, kind.__qualname__.partition(".")[0])
        self._texts.append(member)

    def _root(self, module: str, name: str) -> None:
        self._texts.append(f"{module}:{name}")
        self.roots.add((module, name))

    def _instance(self, value: Any) -> None:
        """An object by its class and its fields, or a function in a wrapper by what it wraps."""
        inner = inspect.unwrap(value) if callable(value) else value
        inner = getattr(inner, "py_func", inner)  # a kernel of numba
        if inner is not value:
            self.add(inner)
            return
        self._of_class(type(value))
        if dataclasses.is_dataclass(value):
            fields = [(field.name, getattr(value, field.name)) for field in _fields(value)]
        elif hasattr(value, "__dict__"):
            fields = sorted(vars(value).items())
        else:
            raise TypeError(
                f"cannot tell what {value!r} of type {type(value).__name__} depends on; "
                "a frozen dataclass of plain fields would do"
            )
        self._all("fields", (part for field in fields for part in field))

    def _function(self, value: FunctionType) -> None:
        """A top-level function is a definition; of one made by another also what it encloses."""
        module, outer = value.__module__, value.__qualname__.partition(".")[0]
        if outer == "<lambda>":
            self._lambda(value)
        else:
            self._root(module, outer)
        if inspect.unwrap(value) is not value:
            self.add(inspect.unwrap(value))
        self._all(
            "with",
            (
                *(cell.cell_contents for cell in value.__closure__ or () if not _empty(cell)),
                *(value.__defaults__ or ()),
                *(value.__kwdefaults__ or {}).values(),
            ),
        )

    def _lambda(self, value: FunctionType) -> None:
        """One written at the top level: its own text, and what its names lead to."""
        module = value.__module__
        if module not in self._graph:
            self._root(module, value.__qualname__)
            return
        written = self._graph.lambdas(module, value.__code__.co_firstlineno)
        if not written:
            self._root(module, WHOLE)
        for statement in written:
            self._texts.append(statement.text)
            self.roots.update(self._graph.read_by(module, statement))


def _fields(value: Any) -> tuple[dataclasses.Field[Any], ...]:
    return tuple(f for f in dataclasses.fields(value) if hasattr(value, f.name))


def _empty(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False

"""What a function's annotations say of its arguments, read here by themselves, and whether a value
is among it."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import math
import numbers
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np
from annotated_types import Ge, Gt, Lt

from experiments.notebooks import arguments

ELSEWHERE = re.compile(r"as of\s+``((?:algorithms|experiments|proofs_check)(?:\.\w+)+)``")
"""How a docstring says which function takes the options that are passed on."""


@dataclass(frozen=True)
class Argument:
    """A parameter of a function of the door, or of the function that its options go to."""

    name: str
    hint: Any
    default: Any
    kind: Any

    @property
    def required(self) -> bool:
        """Whether a call without it has no meaning."""
        return self.default is inspect.Parameter.empty


@functools.cache
def parameters(function: Callable[..., Any]) -> tuple[Argument, ...]:
    """All that a call of it may be given by name, options that are passed on among it."""
    known = _names(inspect.getmodule(inspect.unwrap(function)))
    found = []
    for name, one in inspect.signature(function).parameters.items():
        if one.kind is not one.VAR_KEYWORD or one.annotation not in ("Any", Any):
            found.append(Argument(name, _evaluated(one.annotation, known), one.default, one.kind))
    told = ELSEWHERE.search(inspect.getdoc(function) or "")
    if told and (other := _found(told[1])):
        mine = {one.name for one in found}
        found += [
            one for one in parameters(other)
            if one.name not in mine and one.kind is inspect.Parameter.KEYWORD_ONLY
        ]  # fmt: skip
    return tuple(found)


def _found(path: str) -> Callable[..., Any] | None:
    module, _, name = path.rpartition(".")
    try:
        one = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return None
    return one if inspect.isroutine(one) else None


@functools.cache
def _names(module: types.ModuleType | None) -> dict[str, Any]:
    """A module's names, and those that it imports for the type checker alone."""
    known = {**vars(arguments), **vars(module)} if module else {}
    for node in ast.parse(inspect.getsource(module)).body if module else ():
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), "<types>", "exec"), known)
    return known


def _evaluated(annotation: Any, known: Mapping[str, Any]) -> Any:
    return eval(annotation, dict(known)) if isinstance(annotation, str) else annotation


def admits(hint: Any, value: Any) -> bool | None:
    """Whether a value is what a hint asks for; None where the hint does not tell."""
    if hint is Any or hint is inspect.Parameter.empty:
        return None
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return admits(inner[0], value) and all(_bound(one, value) for one in inner[1:])
    if origin in (Union, types.UnionType):
        each = [admits(one, value) for one in inner]
        return True if True in each else (None if None in each else False)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is Sequence or origin is tuple:
        few = isinstance(value, (list, tuple))
        return few and all(admits(inner[0], one) is not False for one in value)
    if origin is Mapping or hint is Mapping:
        return isinstance(value, Mapping)
    if origin is Callable or hint is Callable:
        return callable(value)
    if hint is None or hint is type(None):
        return value is None
    return _of_class(hint, value) if isinstance(hint, type) else None


def _of_class(hint: type, value: Any) -> bool | None:
    if getattr(hint, "_is_protocol", False):
        return None
    if hint in (int, float):
        single = value.item() if getattr(value, "size", None) == 1 else value
        wanted = numbers.Integral if hint is int else numbers.Real
        number = isinstance(single, wanted) and not isinstance(value, (bool, np.bool_))
        return number and (isinstance(single, int) or math.isfinite(float(single)))
    return isinstance(value, hint)


def _bound(one: Any, value: Any) -> bool:
    if isinstance(one, Ge):
        return bool(value >= one.ge)
    if isinstance(one, Gt):
        return bool(value > one.gt)
    return bool(value < one.lt) if isinstance(one, Lt) else True

"""Types and ranges of the arguments of :mod:`rateproof`, checked once, at the door, by pydantic.

A function's annotations say what it takes. Numbers of numpy and torch count as Python's; nothing
else is converted: 4.0 and True are no whole numbers.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import importlib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import ModuleType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np
import torch
from annotated_types import Ge, Gt, Lt
from pydantic import BeforeValidator, ConfigDict, PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import SchemaError

from theory.fields import shown_short

R = TypeVar("R")
_BITS = 63
_STRICT = ConfigDict(strict=True, arbitrary_types_allowed=True)


def _whole(value: Any) -> Any:
    """Whole numbers that are not Python's, as Python's."""
    return int(value) if isinstance(value, np.integer) else _single(value)


def _sized(value: Any) -> Any:
    """The same, where 64 bits hold it."""
    value = _whole(value)
    if isinstance(value, int) and value.bit_length() > _BITS:
        raise ValueError(f"input should be a whole number that {_BITS + 1} bits hold")
    return value


def _real(value: Any) -> Any:
    if isinstance(value, np.floating | np.integer):
        value = value.item()
    value = _single(value)
    if isinstance(value, bool):
        raise ValueError("input should be a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("input should be a finite number")
    return value


def _number(value: Any) -> Any:
    """A number of any library, no truth value."""
    if isinstance(value, bool | np.bool_ | str | bytes):
        raise ValueError("input should be a number")
    return value.item() if isinstance(value, np.generic) else _single(value)


def _single(value: Any) -> Any:
    """The number in a tensor of one."""
    if isinstance(value, np.bool_):
        value = bool(value)  # no number
    return value.item() if isinstance(value, torch.Tensor) and value.numel() == 1 else value


Whole = Annotated[int, BeforeValidator(_whole)]
"""A whole number of any size."""

Sized = Annotated[int, BeforeValidator(_sized)]
"""A whole number that 64 bits hold."""

Count = Annotated[int, Ge(1), BeforeValidator(_sized)]
"""A whole number of at least 1."""

Real = Annotated[float, BeforeValidator(_real)]
"""A finite number."""

Positive = Annotated[float, Gt(0), BeforeValidator(_real)]
"""A finite number above 0."""

Chance = Annotated[float, Gt(0), Lt(1), BeforeValidator(_real)]
"""A number between 0 and 1, neither of them."""

Samples = Annotated[int, Ge(100), BeforeValidator(_sized)]
"""Calls of a compressor at each vector: as many as its tests need."""

Axis = Literal["steps", "bits", "messages", "seconds", "gradients"]
"""What a comparison may be at equal amounts of."""

Tuned = Literal["theorem", "grid"]
"""Source of a run's stepsize."""

_OURS = ("theory", "algorithms", "proofs_check", "experiments")
_PLAIN = {int: Sized, float: Real}


def arguments(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
    """Arguments of a call as its annotations ask for them.

    Raises:
        ValueError: an argument is of another type, or out of its range; one is missing, or has no
            place.
    """
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise ValueError(f"{function.__name__}: {error}; it takes {_taken(signature)}") from None
    adapters = _adapters(function)
    for name, value in given.arguments.items():
        adapter = adapters.get(name)
        if adapter is None:
            continue
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            given.arguments[name] = {k: held(k, v, adapter) for k, v in value.items()}
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            given.arguments[name] = tuple(held(name, v, adapter) for v in value)
        else:
            given.arguments[name] = held(name, value, adapter)
    return given


def called(function: Callable[..., R], /, *args: Any, **kwargs: Any) -> R:
    """The function's answer, its arguments held to its annotations first.

    Raises:
        ValueError: as :func:`arguments`.
    """
    given = arguments(function, *args, **kwargs)
    return function(*given.args, **given.kwargs)


def options_for(
    function: Callable[..., Any], options: Mapping[str, Any], *, without: Sequence[str] = ()
) -> dict[str, Any]:
    """Options that are passed on to a function, as its annotations ask for them; those ``without``
    are not passed on, since the caller gives them by itself.

    Raises:
        ValueError: as :func:`arguments`.
    """
    adapters, known = _adapters(function), {
        name: one
        for name, one in inspect.signature(function).parameters.items()
        if one.kind is one.KEYWORD_ONLY and name not in without
    }  # fmt: skip
    for name, value in options.items():
        if name not in known:
            raise ValueError(
                f"there is no option {name!r}, got {name}={shown_short(value)}; known: "
                f"{', '.join(known)}"
            )
    return {
        name: held(name, value, adapters[name]) if name in adapters else value
        for name, value in options.items()
    }


def require_fields(thing: Any, path: str = "") -> None:
    """Refuse an object of dataclasses whose numbers are not of the kinds that its fields state.

    Raises:
        ValueError: names the field, its value and what it should be.
    """
    if not dataclasses.is_dataclass(thing) or isinstance(thing, type):
        return
    for field in dataclasses.fields(thing):
        value = getattr(thing, field.name, None)
        where = f"{path or type(thing).__name__}.{field.name}"
        kinds = frozenset(str(getattr(field.type, "__name__", field.type)).split(" | "))
        if kinds <= _FIELD_ADAPTERS.keys():
            adapters = [_FIELD_ADAPTERS[kind] for kind in sorted(kinds)]
            _held_by_one(where, value, adapters)
        else:
            require_fields(value, where)


def _held_by_one(name: str, value: Any, adapters: Sequence[TypeAdapter[Any]]) -> None:
    refused = []
    for adapter in adapters:
        try:
            held(name, value, adapter)
            return
        except ValueError as error:
            refused.append(error)
    raise refused[0]


def held(name: str, value: Any, adapter: TypeAdapter[Any]) -> Any:
    """The value as the adapter has it.

    Raises:
        ValueError: it is of another type, or out of range.
    """
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        wanted = {_words(one["msg"]) for one in error.errors()}
        shown = shown_short(value)
        words = " or ".join(sorted(wanted))
        raise ValueError(f"{name} should be {words}, got {name}={shown}") from None


def _words(message: str) -> str:
    """What pydantic asks for, without its subject."""
    message = message.removeprefix("Value error, ")
    for subject in ("Input should be ", "input should be "):
        message = message.removeprefix(subject)
    message = message.partition(", got ")[0]
    for theirs, plain in _PLAIN_WORDS.items():
        message = message.replace(theirs, plain)
    return message


_PLAIN_WORDS = {
    "a valid integer": "a whole number", "a valid number": "a number",
    "a valid dictionary": "a mapping", "a valid string": "a text",
    "a valid boolean": "True or False", "a valid tuple": "a tuple",
    "greater than or equal to": "at least", "greater than": "above", "less than": "below",
    "'str' instances are not allowed as a Sequence value": "several, in a list",
    "an instance of Sequence": "several, in a list",
}  # fmt: skip


_FIELD_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    "int": TypeAdapter(Whole, config=_STRICT),
    "float": TypeAdapter(Annotated[float, BeforeValidator(_number)]),
    "bool": TypeAdapter(bool, config=_STRICT),
    "str": TypeAdapter(str, config=_STRICT),
    "None": TypeAdapter(None),
}
"""Adapters of the plain types that fields of members have, by name; a float may be infinite."""


def _taken(signature: inspect.Signature) -> str:
    return ", ".join(signature.parameters)


@functools.cache
def _adapters(function: Callable[..., Any]) -> Mapping[str, TypeAdapter[Any]]:
    """Adapters by parameter; none where anything goes."""
    known = _Names({**globals(), **getattr(function, "__globals__", {})}, function)
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        wanted = parameter.annotation
        if isinstance(wanted, str):
            wanted = eval(wanted, {}, known)
        if wanted not in (inspect.Parameter.empty, Any):
            wanted = Whole if name == "seed" and wanted is int else _precise(wanted)
            with suppress(PydanticUserError, SchemaError):  # a type that pydantic cannot read
                found[name] = TypeAdapter(wanted, config=_STRICT)
    return found


class _Names(dict[str, Any]):
    """Names that a function's annotations use; what its module imports for the type checker alone
    is imported when it is asked for."""

    def __init__(self, known: Mapping[str, Any], function: Callable[..., Any]) -> None:
        super().__init__(known)
        self._module = inspect.getmodule(inspect.unwrap(function))

    def __missing__(self, name: str) -> Any:
        places = _for_types_alone(self._module) if self._module else {}
        if name not in places:
            return vars(builtins)[name]
        return getattr(importlib.import_module(places[name]), name)


@functools.cache
def _for_types_alone(module: ModuleType) -> Mapping[str, str]:
    """By name the module that it is imported from below ``if TYPE_CHECKING``."""
    found = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for one in node.body:
                if isinstance(one, ast.ImportFrom):
                    found.update({each.name: one.module or "" for each in one.names})
    return found


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _precise(wanted: Any) -> Any:
    """An annotation, numbers of numpy and torch among what it takes."""
    if get_origin(wanted) in (Union, UnionType):
        return Union[tuple(_precise(one) for one in get_args(wanted))]  # noqa: UP007
    if get_origin(wanted) in (Sequence, Mapping):
        return get_origin(wanted)[tuple(_precise(one) for one in get_args(wanted))]
    if get_origin(wanted) is tuple:
        return Annotated[wanted, BeforeValidator(_as_tuple)]
    origin = get_origin(wanted)
    if isinstance(origin, type) and origin.__module__.partition(".")[0] in _OURS:
        return origin  # a generic class of ours: of what is not told by an instance
    return _PLAIN.get(wanted, wanted) if isinstance(wanted, type) else wanted

"""Kinds of the numbers that objects are made of, checked where they are made."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "int": ("a whole number", (Integral,)),
    "float": ("a number", (Real,)),
    "bool": ("True or False", (bool, np.bool_)),
    "str": ("a text", (str,)),
    "None": ("None", (type(None),)),
}
"""By the name of a plain type: what it is in words, and what counts as one."""


def shown_short(value: object) -> str:
    """A value on one line of at most 80 characters."""
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


class CheckedFields:
    """A base of dataclasses whose plain fields are checked before an object is made.

    Fields of the types ``int``, ``float``, ``bool``, ``str`` or ``None``, or of a union of these
    and classes, are; numbers of numpy count; truth values and NaN are no numbers, infinity is one.

    Raises:
        ValueError: a field is of another kind; the sentence names class, field and value.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Check what is given, then make the object."""
        if args or kwargs:
            _require(cls, args, kwargs)
        return super().__new__(cls)


def _require(cls: type, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    plain = _plain_fields(cls)
    given = dict(zip(plain, args, strict=False)) | dict(kwargs)
    for name, value in given.items():
        kinds = plain.get(name, ())
        if kinds and not any(_is(value, kind) for kind in kinds):
            wanted = " or ".join(_in_words(kind) for kind in kinds)
            told = f"{name} should be {wanted}, got {name}={shown_short(value)}"
            raise ValueError(f"{cls.__name__}: {told}")


def _in_words(kind: str | type) -> str:
    return _KINDS[kind][0] if isinstance(kind, str) else f"of class {kind.__name__}"


def _is(value: object, kind: str | type) -> bool:
    if isinstance(kind, type):
        return isinstance(value, kind)
    truth = isinstance(value, bool | np.bool_)
    if kind == "float" and value != value:  # not a number
        return False
    return isinstance(value, _KINDS[kind][1]) and (not truth or kind == "bool")


@cache
def _plain_fields(cls: type) -> dict[str, tuple[str | type, ...]]:
    """Fields that a call takes, in order, with their types; no types where one of them is neither
    plain nor a class, or none is plain."""
    if not dataclasses.is_dataclass(cls):
        return {}
    return {
        field.name: _kinds(str(field.type).split(" | "), _names_for(cls, field.name))
        for field in dataclasses.fields(cls)
        if field.init
    }


def _names_for(cls: type, field: str) -> Mapping[str, Any]:
    """What names mean in the module where a field of a class is stated."""
    stating = next(base for base in cls.__mro__ if field in inspect.get_annotations(base))
    module = sys.modules.get(stating.__module__)  # None: one that was executed, not imported
    return {} if module is None else vars(module)


def _kinds(stated: list[str], names: Mapping[str, Any]) -> tuple[str | type, ...]:
    kinds: list[Any] = [one if one in _KINDS else names.get(one) for one in stated]
    known = all(isinstance(one, str) or _is_class(one) for one in kinds)
    return tuple(kinds) if known and not _KINDS.keys().isdisjoint(stated) else ()


def _is_class(thing: object) -> bool:
    """A class that says of every object whether it is one of it."""
    return isinstance(thing, type) and not getattr(thing, "_is_protocol", False)

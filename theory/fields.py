"""Kinds of the numbers that objects are made of, checked where they are made."""

from __future__ import annotations

import dataclasses
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

    Fields of the types ``int``, ``float``, ``bool``, ``str`` or ``None``, or of a union of these,
    are; numbers of numpy count; truth values and NaN are no numbers, infinity is one.

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
            wanted = " or ".join(_KINDS[kind][0] for kind in kinds)
            told = f"{name} should be {wanted}, got {name}={shown_short(value)}"
            raise ValueError(f"{cls.__name__}: {told}")


def _is(value: object, kind: str) -> bool:
    truth = isinstance(value, bool | np.bool_)
    if kind == "float" and value != value:  # not a number
        return False
    return isinstance(value, _KINDS[kind][1]) and (not truth or kind == "bool")


@cache
def _plain_fields(cls: type) -> dict[str, tuple[str, ...]]:
    """Fields that a call takes, in order, with their plain types; no types where it has others."""
    if not dataclasses.is_dataclass(cls):
        return {}
    found = {}
    for field in dataclasses.fields(cls):
        if field.init:
            stated = field.type if isinstance(field.type, str) else str(field.type)
            kinds = tuple(stated.split(" | "))
            found[field.name] = kinds if set(kinds) <= _KINDS.keys() else ()
    return found

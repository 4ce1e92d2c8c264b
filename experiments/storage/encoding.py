"""A cell's result as JSON and back: verdicts, and curves and facts by the name of their type.

Fields are written and read by msgspec, which holds each to the type that its class declares; only
arrays, fractions and numpy's numbers are ours. A whole number in a field of ``float`` is read as
one. JSON itself is the standard library's, since msgspec
writes neither NaN nor infinity.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any, TypeVar, get_args, get_origin

import msgspec
import numpy as np

from proofs_check.cell import CellResult
from proofs_check.curves import Curves
from proofs_check.facts import Facts
from proofs_check.verdict import Verdict

T = TypeVar("T")

CURVES: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Curves)}
"""The types of curves that a result may hold, by the names that a file gives them."""

FACTS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Facts)}
"""The types of facts, likewise."""


def encode_result(result: CellResult) -> dict[str, Any]:
    """Verdicts, curves and facts as plain data for JSON.

    Raises:
        TypeError: a field holds what is neither a number nor a word, an array or a dataclass.
    """
    return {
        "verdicts": [_encoded(verdict) for verdict in result.verdicts],
        "curves": [{"type": type(one).__name__} | _encoded(one) for one in result.curves],
        "facts": [{"type": type(one).__name__} | _encoded(one) for one in result.facts],
    }


def decode_result(body: Mapping[str, Any]) -> CellResult:
    """Result that :func:`encode_result` encoded.

    Raises:
        KeyError: verdicts, curves, facts or the type of one of them are missing.
        ValueError: a field is missing, unknown, or of another type than its class declares; a type
            of curves or facts is unknown, or curves do not fit each other.
    """
    verdicts = tuple(_decoded(Verdict, record) for record in body["verdicts"])
    curves: list[Curves] = [_typed("curves", CURVES, dict(one)) for one in body["curves"]]
    facts: list[Facts] = [_typed("facts", FACTS, dict(one)) for one in body["facts"]]
    return CellResult(verdicts, tuple(curves), tuple(facts))


def _encoded(one: Any) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(one, enc_hook=_plain)
    return found


def _typed(what: str, kinds: Mapping[str, type[Any]], data: dict[str, Any]) -> Any:
    name = data.pop("type")
    if name not in kinds:
        raise ValueError(f"type of {what} must be one of {', '.join(kinds)}, got {name!r}")
    return _decoded(kinds[name], data)


def _decoded(kind: type[T], data: Any) -> T:
    """An instance of a dataclass that has all the fields of ``data`` at every depth and no others,
    those with a default among them."""
    found = msgspec.convert(data, kind, dec_hook=_built)
    if not _has_all(found, data):
        names = ", ".join(field.name for field in fields(kind))  # type: ignore[arg-type]
        raise ValueError(f"{kind.__name__} must have the fields {names} and theirs, got {data!r}")
    return found


def _has_all(one: Any, data: Any) -> bool:
    if is_dataclass(one):
        names = {field.name for field in fields(one)}
        return data.keys() == names and all(_has_all(getattr(one, k), data[k]) for k in names)
    return all(map(_has_all, one, data)) if isinstance(one, tuple) else True


def _plain(value: Any) -> Any:
    """Encode what msgspec does not know as JSON types."""
    if isinstance(value, np.ndarray):
        array = np.ascontiguousarray(value, dtype="<f8")
        return {"shape": list(array.shape), "f8": base64.b64encode(array.tobytes()).decode()}
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a result holds {value!r} of type {type(value).__name__}; numbers would do")


def _built(hint: Any, value: Any) -> Any:
    """The reverse of :func:`_plain`."""
    if get_origin(hint) is np.ndarray:
        return np.frombuffer(base64.b64decode(value["f8"]), dtype="<f8").reshape(value["shape"])
    return hint(value)

"""A cell's result as JSON and back: verdicts, and curves and facts by the name of their type."""

from __future__ import annotations

import base64
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from proofs_check.cell import CellResult
from proofs_check.curves import Curves
from proofs_check.facts import Facts
from proofs_check.verdict import Verdict
from theory.arrays import Floats

CURVES: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Curves)}
"""The types of curves that a result may hold, by the names that a file gives them."""

FACTS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Facts)}
"""The types of facts, likewise."""


def encode_result(result: CellResult) -> dict[str, Any]:
    """Verdicts, curves and facts as plain data for JSON."""
    return {
        "verdicts": [verdict.record() for verdict in result.verdicts],
        "curves": [{"type": type(one).__name__} | _fields(one) for one in result.curves],
        "facts": [{"type": type(one).__name__} | _fields(one) for one in result.facts],
    }


def decode_result(body: Mapping[str, Any]) -> CellResult:
    """What :func:`encode_result` gave.

    Raises:
        KeyError: verdicts, curves, facts or one of their fields are missing.
        TypeError: a field is of another type than its class declares, or is unknown.
        ValueError: a type of curves or facts is unknown, or curves do not fit each other.
    """
    verdicts = tuple(Verdict.of_record(record) for record in body["verdicts"])
    curves: list[Curves] = [_typed("curves", CURVES, dict(one)) for one in body["curves"]]
    facts: list[Facts] = [_typed("facts", FACTS, dict(one)) for one in body["facts"]]
    return CellResult(verdicts, tuple(curves), tuple(facts))


def _fields(one: Any) -> dict[str, Any]:
    return {field.name: _encode(getattr(one, field.name)) for field in fields(one)}


def _encode(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        array = np.ascontiguousarray(value, dtype="<f8")
        return {"shape": list(array.shape), "f8": base64.b64encode(array.tobytes()).decode()}
    if is_dataclass(value):
        return _fields(value)
    return [_encode(one) for one in value] if isinstance(value, tuple) else value


def _typed(what: str, kinds: Mapping[str, type[Any]], data: dict[str, Any]) -> Any:
    name = data.pop("type")
    if name not in kinds:
        raise ValueError(f"type of {what} must be one of {', '.join(kinds)}, got {name!r}")
    return _built(kinds[name], data)


def _built(kind: type[Any], data: Any) -> Any:
    """An instance of a dataclass from its encoded fields; all must be there and no others."""
    hints = get_type_hints(kind)
    if not isinstance(data, dict) or data.keys() != hints.keys():
        raise TypeError(f"{kind.__name__} must have the fields {', '.join(hints)}, got {data!r}")
    return kind(**{name: _decode(hint, data[name], name) for name, hint in hints.items()})


def _decode(hint: Any, value: Any, name: str) -> Any:
    if get_origin(hint) in (types.UnionType, Union):
        if value is None and type(None) in get_args(hint):
            return None
        (hint,) = (one for one in get_args(hint) if one is not type(None))
    if get_origin(hint) is np.ndarray:
        return _array(value)
    if get_origin(hint) is tuple:
        inner = [one for one in get_args(hint) if one is not ...]
        return tuple(_decode(inner[0], one, name) for one in value)
    if is_dataclass(hint) and isinstance(hint, type):
        return _built(hint, value)
    plain = (float, int) if hint is float else hint
    if not isinstance(value, plain) or (isinstance(value, bool) and hint is not bool):
        raise TypeError(f"{name} must be {hint.__name__}, got {value!r}")
    return value


def _array(value: Any) -> Floats:
    return np.frombuffer(base64.b64decode(value["f8"]), dtype="<f8").reshape(value["shape"])

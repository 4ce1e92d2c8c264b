"""Parameters of a row by name: read off the method that its recipe builds, and set in it.

A method is a tree of frozen dataclasses; a parameter is a number, a truth value, an operator or a
topology in it, named by the path of fields that leads there (``compressor.k``, ``period``,
``barrier.s``, ``topology``).
Stepsizes are set by a tuning, sizes and seeds by a run: they are no parameters of a row.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.catalogue import OPERATORS, Row
from algorithms.catalogue.row import Build
from algorithms.compressors.base import Compressor
from algorithms.core.names import UnknownName, look_up
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from algorithms.topologies.gallery import gallery
from theory.fields import shown_short
from theory.stepsizes import ConstantStep, Stepsize

Value = int | float | bool | Compressor | Topology | None
Settings = Mapping[str, str | Value]

_OF_RUNS = ("ticks", "replicas", "schedule_seed", "n", "shapes")


def parameters(method: Method[Any]) -> dict[str, Value]:
    """Every parameter of a method by its path, in the order of its fields."""
    return dict(_leaves(method, ""))


def _leaves(node: Any, path: str) -> Iterator[tuple[str, Value]]:
    for field in dataclasses.fields(node):
        value, name = getattr(node, field.name), f"{path}{field.name}"
        if not field.init or field.name in _OF_RUNS or isinstance(value, Stepsize):
            continue
        if isinstance(value, (Compressor, Topology)):
            yield name, value
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            yield from _leaves(value, f"{name}.")
        elif value is None or isinstance(value, (bool, int, float)):
            yield name, value


def shown_value(value: Value) -> str:
    """A parameter's value as it is printed, and as it can be typed."""
    if isinstance(value, (Compressor, Topology)):
        return value.name
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def with_settings(row: Row, settings: Settings) -> Row:
    """The row with some of its parameters set, and everything else as it is.

    Names may be shortened to what tells them apart (``k`` for ``compressor.k``); values may be
    text, and operators are given by their reported names, topologies by their families' (``ring``,
    ``torus``) or whole names. What a recipe derives from a parameter
    (CHOCO's consensus stepsize from its operator's delta) stays as the recipe made it: set that
    too. The row's bill is that of the ledger; closed forms of its messages are the old row's.

    Raises:
        ValueError: the row is planned; or, when its method is built, an unknown name, or a value
            that the parameter cannot take.
    """
    row.ready()
    return _changed(row, lambda method: adjusted(method, settings)) if settings else row


def with_values(row: Row, values: Mapping[str, Value]) -> Row:
    """Row of :func:`with_settings` for values that are none of them text: no operator is looked up.

    Raises:
        ValueError: the row is planned; or, when its method is built, as there.
    """
    row.ready()
    return _changed(row, lambda method: _with_values(method, values)) if values else row


def _changed(row: Row, change: Callable[[Method[Any]], Method[Any]]) -> Row:
    """The row whose recipe's methods are changed when they have been built."""

    def after(build: Build) -> Build:
        def built(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
            return change(build(step, problem, steps))

        return built

    recipe = row.ready()
    practice = recipe.practice and after(recipe.practice)
    return replace(row, recipe=replace(recipe, build=after(recipe.build), practice=practice))


def _with_values(method: Method[Any], values: Mapping[str, Value]) -> Method[Any]:
    for name, value in values.items():
        method = _put(method, _full(name, parameters(method)), value)
    return method


def _put(method: Method[Any], path: str, value: Value) -> Method[Any]:
    try:
        changed: Method[Any] = _replaced(method, path.split("."), value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}={value} is not possible: {error}") from error
    return changed


def adjusted(method: Method[Any], settings: Settings) -> Method[Any]:
    """The method with parameters set by name.

    Raises:
        ValueError: an unknown or ambiguous name, or a value that the parameter cannot take.
    """
    for name, value in settings.items():
        known = parameters(method)
        path = _full(name, known)
        chosen = _read(path, value, known[path]) if isinstance(value, str) else value
        _require_kind(method, path, chosen)
        method = _put(method, path, chosen)
    return method


def _full(name: str, known: Mapping[str, Value]) -> str:
    if name in known:
        return name
    ends = [path for path in known if path.endswith(f".{name}")]
    if len(ends) > 1:
        raise ValueError(f"parameter {name!r} could be any of {', '.join(ends)}; give one of them")
    if not ends:
        raise UnknownName("parameter", name, known)
    return ends[0]


def _require_kind(method: Method[Any], path: str, value: Value) -> None:
    """Refuse a value of a kind that the field at ``path`` does not take.

    Raises:
        ValueError: it is.
    """
    *way, last = path.split(".")
    node: Any = method
    for name in way:
        node = getattr(node, name)
    old = getattr(node, last)
    (field,) = (one for one in dataclasses.fields(node) if one.name == last)
    taken = set(re.findall(r"\w+", str(field.type)))
    for kind, words in ((Compressor, "an operator"), (Topology, "a topology")):
        if isinstance(old, kind):
            fits, wanted = isinstance(value, kind), f"{words} or its name"
            break
    else:
        kinds = [words for name, words in _KINDS.items() if name in taken]
        fits, wanted = not kinds or _kind(value) in taken, " or ".join(kinds)
        fits |= _kind(value) == "int" and "float" in taken
    if not fits:
        told = f"{path}={shown_short(value)}"
        raise ValueError(f"{path} must be {wanted}, as {old!r} is, got {told}")


_KINDS = {"bool": "True or False", "int": "a whole number", "float": "a number", "None": "None"}


def _kind(value: object) -> str:
    """Name of a value's kind in annotations."""
    if value is None or isinstance(value, bool):
        return "None" if value is None else "bool"
    if isinstance(value, np.integer):
        return "int"
    return "float" if isinstance(value, np.floating) else type(value).__name__


def _read(path: str, text: str, old: Value) -> Value:
    """Value that ``text`` states in place of ``old``.

    Raises:
        ValueError: it says nothing that could stand there.
    """
    if isinstance(old, Compressor):
        return look_up("operator", text, OPERATORS)
    if isinstance(old, Topology):
        return look_up("topology", text, _graphs(old.n))
    if text.lower() in ("true", "false") and (old is None or isinstance(old, bool)):
        return text.lower() == "true"
    if text.lower() == "none":
        return None
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{path} must be a number, as {old!r} is, got {path}={text!r}") from None
    whole = number.is_integer() and "." not in text and "e" not in text.lower()
    if isinstance(old, bool) or (isinstance(old, int) and not whole):
        kind = "true or false" if isinstance(old, bool) else "a whole number"
        raise ValueError(f"{path} must be {kind}, as {old!r} is, got {path}={text}")
    return int(number) if whole else number


def _graphs(n: int) -> dict[str, Topology]:
    """Topologies that n workers can have, by their names; by their families' where one has one."""
    named = {one.name: one for one in gallery(n)}
    families = [name.partition("(")[0] for name in named]
    alone = {of: one for of, one in zip(families, named.values(), strict=True)
             if families.count(of) == 1}  # fmt: skip
    return {**alone, **named}


def _replaced(node: Any, path: list[str], value: Value) -> Any:
    first, *rest = path
    inner = _replaced(getattr(node, first), rest, value) if rest else value
    return replace(node, **{first: inner})


def row_parameters(row: Row, problem: Problem, steps: int = 1000) -> dict[str, Value]:
    """Those of the row's method on a problem.

    Raises:
        ValueError: the row is planned.
    """
    return parameters(row.ready().build(ConstantStep(1.0), problem, steps))

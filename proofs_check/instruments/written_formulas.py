"""Formulas as they are told to readers, read by computer algebra."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from tokenize import TokenError
from typing import Any

import sympy
from sympy.parsing.sympy_parser import (
    convert_xor,
    implicit_multiplication,
    parse_expr,
    standard_transformations,
)

FUNCTIONS = {
    "min": sympy.Min, "max": sympy.Max, "sqrt": sympy.sqrt, "ln": sympy.log,
    "ceil": sympy.ceiling, "floor": sympy.floor,
}  # fmt: skip
"""Functions that formulas name."""

_PRODUCT = re.compile(r"(?<=[\w)]) (?=(?:min|max|sqrt|ceil|floor)\(|\d|[A-Za-z]\b(?! =))")
_READ = (*standard_transformations, convert_xor, implicit_multiplication)


def formula_value(text: str, numbers: Mapping[str, float]) -> float | None:
    """A formula at numbers by their names; None where it is none of these alone."""
    text = re.sub(_PRODUCT, " * ", text)
    names = tuple(sorted({*re.findall(r"[A-Za-z_]\w*", text)} & {*numbers}))
    function = _function(text, names)
    if function is None:
        return None
    try:
        return float(function(*(numbers[name] for name in names)))
    except (ArithmeticError, TypeError, ValueError, NameError):
        return None


@cache
def _function(text: str, names: tuple[str, ...]) -> Callable[..., Any] | None:
    """A formula as a function of the names; None where it cannot be read."""
    symbols = {name: sympy.Symbol(name) for name in names}
    try:
        read = parse_expr(text, {**symbols, **FUNCTIONS}, _READ)
        made: Callable[..., Any] = sympy.lambdify([*symbols.values()], read, "math")
    except (SyntaxError, TypeError, ValueError, AttributeError, TokenError):
        return None
    return made if not getattr(read, "free_symbols", {0}) - {*symbols.values()} else None

"""Formulas as they are told to readers, read by computer algebra."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from tokenize import TokenError
from typing import Any

FUNCTIONS = {
    "min": "Min", "max": "Max", "sqrt": "sqrt", "ln": "log", "ceil": "ceiling", "floor": "floor",
}  # fmt: skip
"""Functions that formulas name, and what sympy calls them."""

_PRODUCT = re.compile(r"(?<=[\w)]) (?=(?:min|max|sqrt|ceil|floor)\(|\d|[A-Za-z]\b(?! =))")


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
    import sympy  # here alone: commands that read no formula need not wait for it
    from sympy.parsing import sympy_parser as parsing

    symbols = {name: sympy.Symbol(name) for name in names}
    known = symbols | {name: getattr(sympy, own) for name, own in FUNCTIONS.items()}
    ways = parsing.convert_xor, parsing.implicit_multiplication
    try:
        read = parsing.parse_expr(text, known, (*parsing.standard_transformations, *ways))
        made: Callable[..., Any] = sympy.lambdify([*symbols.values()], read, "math")
    except (SyntaxError, TypeError, ValueError, AttributeError, TokenError):
        return None
    return made if not getattr(read, "free_symbols", {0}) - {*symbols.values()} else None

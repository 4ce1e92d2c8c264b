"""Constants on a command line: arithmetic in d, k, n, s, read with ast and never evaluated."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

_MOST = 200
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
_CALLS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "floor": math.floor,
    "ceil": math.ceil,
    "min": min,
    "max": max,
}


def evaluate(text: str, values: Mapping[str, float]) -> float:
    """The number that an expression is, e.g. ``min(k, d) / d`` with values of k and d.

    Numbers, names, ``+ - * / **``, ``sqrt``, ``log`` (natural, or with a base),
    ``log2``, ``floor``, ``ceil``, ``min``, ``max``.

    Raises:
        ValueError: it is no such expression, a name has no value, or there is no finite result.
    """
    try:
        if len(text) > _MOST:
            raise ValueError(f"longer than {_MOST} characters")
        result = float(_value(ast.parse(text.strip(), mode="eval").body, values))
    except (SyntaxError, ArithmeticError, TypeError, ValueError, RecursionError) as error:
        told = error.msg if isinstance(error, SyntaxError) else error
        raise ValueError(f"cannot read the expression {text!r}: {told}") from error
    if not math.isfinite(result):
        raise ValueError(f"the expression {text!r} is not finite, got {result}")
    return result


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name):
            return _named(name, values)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, values)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _value(inner, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id=name), args=list() as terms, keywords=[]) if name in _CALLS:
            return float(_CALLS[name](*(_value(term, values) for term in terms)))
    allowed = f"numbers, {', '.join(values)}, + - * / **, {', '.join(_CALLS)} would do"
    raise ValueError(f"{ast.unparse(node)} is not allowed; {allowed}")


def _named(name: str, values: Mapping[str, float]) -> float:
    if name not in values:
        raise ValueError(f"{name} has no value; --let {name}=VALUE gives it one")
    return values[name]

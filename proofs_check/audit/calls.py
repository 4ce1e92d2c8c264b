"""How to call what was given: a callable, a pair, or something with compress and decompress."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import isqrt
from typing import Any, NamedTuple

_NAME = "x"


class Form(NamedTuple):
    """``call(x)`` gives x_hat; ``kind`` says what was found.

    ``send(x)`` gives the message where it can be told from x_hat, ``thing`` is what was given: it
    may say by itself how long its messages are.
    """

    call: Callable[[Any], Any]
    kind: str
    send: Callable[[Any], Any] | None = None
    thing: Any = None


def form_of(thing: Any) -> Form:
    """The form of an instance, a callable or a pair.

    Raises:
        ValueError: it is none of them, or takes arguments that are not known here.
    """
    if isinstance(thing, tuple | list):
        return _pair(thing)
    if callable(getattr(thing, "compress", None)):
        if callable(getattr(thing, "decompress", None)):
            found = joined(thing.compress, thing.decompress)
            kind = f"{type(thing).__name__} with compress and decompress"
            return Form(found, kind, sent(thing.compress, thing.decompress), thing)
        kind = f"{type(thing).__name__} with compress alone"
        return Form(_single(thing.compress), kind, None, thing)
    if not callable(thing):
        raise ValueError(
            f"a callable x -> x_hat, a pair (compress, decompress) or an object with these methods "
            f"would do, got {type(thing).__name__}"
        )
    return Form(_single(thing), "callable x -> x_hat", None, thing)


def of_matrices(thing: Any) -> Form:
    """:func:`form_of`, given x ``[d]`` as the most nearly square matrix of d entries.

    Raises:
        ValueError: as :func:`form_of`.
    """
    form = form_of(thing)
    send = form.send

    def call(x: Any) -> Any:
        y = form.call(x.reshape(nearly_square(len(x))))
        return y.reshape(-1) if hasattr(y, "reshape") else y

    kind = f"{form.kind}, given matrices"
    if send is None:
        return Form(call, kind, None, form.thing)
    return Form(call, kind, lambda x: send(x.reshape(nearly_square(len(x)))), form.thing)


def nearly_square(d: int) -> tuple[int, int]:
    """Rows and columns, rows <= columns, of the most nearly square matrix of d entries."""
    rows = next(r for r in range(isqrt(d), 0, -1) if d % r == 0)
    return (rows, d // rows)


def required(function: Any) -> int:
    """How many positional arguments a callable needs; 1 where it does not say.

    Raises:
        ValueError: it needs an argument by keyword.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    needed = [p for p in parameters if p.default is p.empty]
    if keyword := [p.name for p in needed if p.kind is p.KEYWORD_ONLY]:
        raise ValueError(
            f"{_title(function)} needs {', '.join(keyword)}; functools.partial would do"
        )
    places = [p for p in needed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not places and any(p.kind is not p.VAR_KEYWORD for p in parameters):
        return 1
    return len(places)


def joined(compress: Callable[..., Any], decompress: Callable[..., Any]) -> Callable[[Any], Any]:
    """x -> decompress(compress(x)), with a name and a context where they ask for them.

    ``compress(x)`` or ``compress(x, name)``; ``decompress(payload)`` or, where it needs two
    arguments, ``decompress(payload, context)`` on the pair that compress returns.

    Raises:
        ValueError: they need more arguments than that.
    """
    sends, reads = required(compress), required(decompress)
    if sends not in (1, 2) or reads not in (1, 2):
        raise ValueError(
            f"compress(x) or compress(x, name) with decompress(payload) or decompress(payload, "
            f"context) would do, got {_title(compress)} with {sends} and {_title(decompress)} "
            f"with {reads} arguments; functools.partial can fix some"
        )
    names = (_NAME,) * (sends - 1)
    if reads == 1:
        return lambda x: decompress(compress(x, *names))
    return lambda x: decompress(*_two(compress(x, *names)))


def sent(compress: Callable[..., Any], decompress: Callable[..., Any]) -> Callable[[Any], Any]:
    """x -> the message: what compress returns, without the context where decompress takes one."""
    names = (_NAME,) * (required(compress) - 1)
    if required(decompress) == 1:
        return lambda x: compress(x, *names)
    return lambda x: _two(compress(x, *names))[0]


def _two(payload: Any) -> tuple[Any, Any]:
    if not isinstance(payload, tuple | list) or len(payload) != 2:
        raise TypeError(
            f"decompress takes (payload, context), but compress returned {type(payload).__name__}"
        )
    return payload[0], payload[1]


def _pair(thing: tuple[Any, ...] | list[Any]) -> Form:
    if len(thing) != 2 or not all(callable(part) for part in thing):
        raise ValueError(f"a pair (compress, decompress) of callables would do, got {thing!r}")
    return Form(joined(*thing), "pair (compress, decompress)", sent(*thing))


def _single(function: Callable[..., Any]) -> Callable[[Any], Any]:
    needed = required(function)
    if needed > 2:
        raise ValueError(
            f"{_title(function)} needs {needed} arguments; functools.partial leaves one, the vector"
        )
    return function if needed < 2 else (lambda x: function(x, _NAME))


def _title(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))

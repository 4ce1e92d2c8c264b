"""Ways to call what was given: a callable, a pair, or something with compress and decompress."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import isqrt
from typing import Any, NamedTuple

from theory.fields import shown_short

_NAME = "x"


class Ends(NamedTuple):
    """``write(x)`` gives message and context, ``read(message, context)`` gives x_hat.

    The context is None where the reader takes the message alone.
    """

    write: Callable[[Any], tuple[Any, Any]]
    read: Callable[[Any, Any], Any]


class Form(NamedTuple):
    """``call(x)`` gives x_hat; ``kind`` says what was found.

    ``send(x)`` gives the message where it can be told from x_hat, ``thing`` is what was given: it
    may say by itself how long its messages are; ``ends`` are sender and receiver where they are two
    functions.
    """

    call: Callable[[Any], Any]
    kind: str
    send: Callable[[Any], Any] | None = None
    thing: Any = None
    ends: Ends | None = None


def form_of(thing: Any) -> Form:
    """The form of an instance, a callable or a pair.

    Raises:
        ValueError: it is none of them, or takes arguments that are not known here.
    """
    if isinstance(thing, tuple | list):
        return _pair(thing)
    if callable(getattr(thing, "compress", None)):
        if callable(getattr(thing, "decompress", None)):
            kind = f"{type(thing).__name__} with compress and decompress"
            return _of_ends(_ends(thing.compress, thing.decompress), kind, thing)
        kind = f"{type(thing).__name__} with compress alone"
        return Form(_single(thing.compress), kind, None, thing)
    if not callable(thing):
        raise ValueError(
            "compressor must be a callable x -> x_hat, a pair (compress, decompress) or an object "
            f"with these methods, got compressor={shown_short(thing)}"
        )
    return Form(_single(thing), "callable x -> x_hat", None, thing)


def of_matrices(thing: Any) -> Form:
    """:func:`form_of`, given x ``[d]`` as the most nearly square matrix of d entries.

    Raises:
        ValueError: as :func:`form_of`.
    """
    form = form_of(thing)
    ends = form.ends

    def flat(y: Any) -> Any:
        return y.reshape(-1) if hasattr(y, "reshape") else y

    def call(x: Any) -> Any:
        return flat(form.call(x.reshape(nearly_square(len(x)))))

    kind = f"{form.kind}, given matrices"
    if ends is None:
        return Form(call, kind, None, form.thing)
    write, read = ends
    matrices = Ends(
        lambda x: write(x.reshape(nearly_square(len(x)))), lambda *words: flat(read(*words))
    )
    return _of_ends(matrices, kind, form.thing)


def nearly_square(d: int) -> tuple[int, int]:
    """Rows and columns, rows <= columns, of the most nearly square matrix of d entries."""
    rows = next(r for r in range(isqrt(d), 0, -1) if d % r == 0)
    return (rows, d // rows)


def required(function: Any) -> int:
    """Number of positional arguments that a callable needs; 1 where it does not say.

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


def _ends(compress: Callable[..., Any], decompress: Callable[..., Any]) -> Ends:
    """Sender and receiver, with a name and a context where they ask for them.

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
        return Ends(lambda x: (compress(x, *names), None), lambda message, _: decompress(message))
    return Ends(lambda x: _two(compress(x, *names)), decompress)


def _of_ends(ends: Ends, kind: str, thing: Any = None) -> Form:
    """The form of a sender and a receiver."""
    return Form(lambda x: ends.read(*ends.write(x)), kind, lambda x: ends.write(x)[0], thing, ends)


def _two(payload: Any) -> tuple[Any, Any]:
    if not isinstance(payload, tuple | list) or len(payload) != 2:
        raise TypeError(
            f"decompress takes (payload, context), but compress returned {type(payload).__name__}"
        )
    return payload[0], payload[1]


def _pair(thing: tuple[Any, ...] | list[Any]) -> Form:
    if len(thing) != 2 or not all(callable(part) for part in thing):
        raise ValueError(
            "compressor must be a pair (compress, decompress) of callables, "
            f"got compressor={shown_short(thing)}"
        )
    return _of_ends(_ends(*thing), "pair (compress, decompress)")


def _single(function: Callable[..., Any]) -> Callable[[Any], Any]:
    needed = required(function)
    if needed > 2:
        raise ValueError(
            f"{_title(function)} needs {needed} arguments; functools.partial leaves one, the vector"
        )
    return function if needed < 2 else (lambda x: function(x, _NAME))


def _title(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))

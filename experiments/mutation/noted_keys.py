"""Keys and draws of random numbers that tell when they are used: a wrong key under which nothing is
drawn is no fault, nor are draws for wrong rows of which no number is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def noted(key: Any, used: Callable[[], None]) -> Any:
    """A key equal to ``key``, as are those folded from it; ``used`` is called once the words of one
    are read for numbers.

    Its class is made from the key's own, since the modules that define it may be imported anew.
    """

    def words(self: Any) -> tuple[int, int]:
        used()
        own: tuple[int, int] = key.words
        return own

    def fold(self: Any, *parts: int | str) -> Any:
        return noted(key.fold(*parts), used)

    def without_numbers(self: Any) -> Any:
        return noted(key.without_numbers(), used)

    kind = type(key)
    made = type(f"Noted{kind.__name__}", (kind,), {
        "words": property(words), "fold": fold, "without_numbers": without_numbers,
        "numbers": key.numbers, "__eq__": lambda self, other: key == getattr(other, "raw", other),
        "__hash__": lambda self: hash(key), "raw": key,
    })  # fmt: skip
    return object.__new__(made)


def noted_draws(draws: Any, used: Callable[[], None]) -> Any:
    """Draws of the same numbers, as are those folded from them; ``used`` is called once a number or
    the rows that they are for are read."""
    kind = type(draws)

    def read(name: str) -> property:
        def own(_: Any) -> Any:
            used()
            return getattr(draws, name)

        return property(own)

    def fold(self: Any, *words: int | str) -> Any:
        return noted_draws(draws.fold(*words), used)

    made = type(f"Noted{kind.__name__}", (kind,), {
        "workers": read("workers"), "counters": read("counters"), "_rows": read("_rows"),
        "fold": fold,
    })  # fmt: skip
    found: Any = object.__new__(made)
    found.__dict__.update({k: v for k, v in vars(draws).items() if not hasattr(made, k)})
    return found

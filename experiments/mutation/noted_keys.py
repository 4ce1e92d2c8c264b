"""Keys of random numbers that tell when they are used: a wrong key under which nothing is drawn is
no fault."""

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

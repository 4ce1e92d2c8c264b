"""Looking things up by name, with the nearest names when there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

Item = TypeVar("Item")


class UnknownName(ValueError):
    """A name that is not in the catalogue; the message suggests longer ones and the nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        longer = [one for one in names if one.startswith(f"{name}-")]
        alike = get_close_matches(name, names, n=3, cutoff=0.4)
        near = list(dict.fromkeys((*longer, *alike)))[:3]
        hint = f"nearest: {', '.join(near)}" if near else f"known: {', '.join(names)}"
        super().__init__(f"unknown {kind} {name!r}; {hint}")


def look_up(kind: str, name: str, items: Mapping[str, Item]) -> Item:
    """The item called ``name``.

    Raises:
        UnknownName: there is none.
    """
    if name not in items:
        raise UnknownName(kind, name, items)
    return items[name]

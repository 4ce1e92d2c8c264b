"""Where the check of a row must lie: in the room named as the catalogue's file of that row."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.catalogue.row import Row
from theory.members import modules


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _rooms() -> dict[str, str]:
    found: dict[str, str] = {}
    for module in modules("algorithms.catalogue"):
        entries: tuple[Row, ...] = getattr(module, "ENTRIES", ())
        found |= {row.key: _stem(module.__name__) for row in entries}
    return found


ROOMS: dict[str, str] = _rooms()
"""Key of each ready row to the file of the catalogue, and so the room, that has it."""


def room_of(check: Callable[..., object]) -> str:
    """The folder of ``proofs_check.evidence`` that ``check`` is defined in."""
    return check.__module__.split(".")[2]

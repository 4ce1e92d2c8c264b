"""The listing of the catalogue, kept for as long as the sources are what they are.

To make it everything is imported, torch among it: four seconds of processor time. It lies beside
the compiled sources of this room, under the sizes and times of all source files, and is made anew
where one has changed. Where it cannot be written, it is made at every call.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict, cast

from experiments.storage.files import write_atomically

ROOT = Path(__file__).resolve().parents[2]
_FLOORS = ("theory", "algorithms", "proofs_check", "experiments/listing")
_KEPT = 8  # listings, of as many dimensions


class Measured(TypedDict):
    """A row's effect; number and verdict are None where no survey has measured it.

    Attributes:
        sentence: the effect, with its figures where it was measured.
        number: the method's share of the baseline's quantity.
        verdict: of the check.
    """

    sentence: str
    number: float | None
    verdict: str | None


class ListedProblem(TypedDict):
    """A problem that rows run on.

    Attributes:
        name: what commands call it.
        title: what it is.
        dealt: whether its data can be dealt to workers in other ways.
    """

    name: str
    title: str
    dealt: bool


class Listing(TypedDict):
    """Contents of ``rateproof list``.

    Attributes:
        rows: each row as JSON has it, the surveyed ones first.
        problems: what they run on.
        check: what a survey calls the check of a row's effect.
    """

    rows: list[dict[str, Any]]
    problems: list[ListedProblem]
    check: str


def listing(d: int, root: Path = ROOT) -> Listing:
    """The catalogue with claims for dimension d; ``root`` holds the sources.

    Raises:
        ValueError: claims cannot be stated for that d.
    """
    folder = root / "experiments" / "listing" / "__pycache__"
    path = folder / f"listing-{sys.implementation.cache_tag}-{d}-{state_of_sources(root)}.json"
    with suppress(OSError, ValueError):
        return cast(Listing, json.loads(path.read_text(encoding="utf-8")))
    from experiments.listing.made import made_listing

    made = made_listing(d)
    with suppress(OSError):
        write_atomically(path, json.dumps(made).encode())
        _forget(folder)
    return made


def state_of_sources(root: Path, floors: Sequence[str] = _FLOORS) -> str:
    """A hash of the places, sizes and times of all source files, by default of those that a listing
    is made of."""
    found = hashlib.sha256()
    for floor in floors:
        for place, size, changed in sorted(_files(str(root / floor))):
            found.update(f"{place} {size} {changed}\n".encode())
    return found.hexdigest()[:16]


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _files(entry.path)
            elif entry.is_file():
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


def _forget(folder: Path) -> None:
    """Delete all but the latest."""
    by_age = sorted(folder.glob("listing-*.json"), key=lambda path: path.stat().st_mtime)
    for path in by_age[:-_KEPT]:
        path.unlink(missing_ok=True)

"""Best stepsizes of effects as a search found them once, kept beside this file.

A search that begins at the kept one and its two neighbours costs three runs where it still is the
best of these, and goes on where it no longer is. It may end in another dip than a search from the
grid, so that what is kept of a row goes with what it was searched for, and is ignored where that
was changed. ``python -m experiments.power.effect_steps`` searches from the grids and keeps what it
finds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).with_name("chosen_steps.json")
"""Where they are kept: by row and arm, a line each row."""

_LENGTH = 12  # of a fingerprint [characters]


class KeptSteps(NamedTuple):
    """Best stepsizes that a search found for a row's effect.

    Attributes:
        searched_for: the fingerprint of what is measured on what.
        sizes: by arm.
    """

    searched_for: str
    sizes: Mapping[str, float]


@cache
def chosen_steps() -> dict[str, KeptSteps]:
    """Kept stepsizes, by row."""
    stored = json.loads(PATH.read_text()) if PATH.exists() else {}
    return {row: KeptSteps(**entry) for row, entry in stored.items()}


def steps_of(row: str, problem: str, quantity: str, description: str) -> dict[str, float]:
    """Kept stepsizes of a row's arms; none where they were searched for something else."""
    kept = chosen_steps().get(row)
    if kept is None or kept.searched_for != fingerprint(problem, quantity, description):
        return {}
    return dict(kept.sizes)


def fingerprint(problem: str, quantity: str, description: str) -> str:
    """Short name of what a search was for."""
    return sha256("; ".join((problem, quantity, description)).encode()).hexdigest()[:_LENGTH]


def keep_steps(row: str, searched_for: str, sizes: Mapping[str, float]) -> None:
    """Keep the stepsizes of a row's arms in place of those that were kept."""
    new = KeptSteps(searched_for, {arm: float(f"{size:.4g}") for arm, size in sizes.items()})
    every = chosen_steps() | {row: new}
    lines = [f"{json.dumps(key)}: {json.dumps(every[key]._asdict())}" for key in sorted(every)]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    chosen_steps.cache_clear()

"""Draws of a seed, and their summary."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.inputs.calls import calls
from tests.inputs.drawn import Came, Drawn, judged
from tests.inputs.files import STUDY, matrices, objects, studies, toml
from tests.inputs.lines import lines

MINE = """
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.topologies.ring import Ring

RING = Ring(5)
OPERATOR = ScaledSign()


def half(x):
    return 0.5 * x
"""
"""A user's module."""

QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)


def kinds(room: Path, only: Sequence[str]) -> dict[str, st.SearchStrategy[Drawn]]:
    """Strategies by kind of input."""
    return {
        "command": lines(room, tuple(only)),
        "file": studies(room),
        "matrix": matrices(room),
        "object": objects(),
        "call": calls(room),
    }


def drawn_and_judged(
    draws: int,
    chosen: int,
    kind: Sequence[str] = (),
    only: Sequence[str] = (),
    limit: int = 60,
    part: slice = slice(None),
    tell: Callable[[Came], object] = lambda _: None,
) -> list[Came]:
    """So many inputs of a seed, or a part of them, and what came of each, in a folder of their own;
    ``tell`` hears each at once."""
    with room() as place:
        all_kinds = kinds(place, only)
        # half of all are command lines
        chosen_kinds = kind or ("command", "command", "command", "file", "matrix", "object", "call")
        strategy = st.one_of(*(all_kinds[one] for one in chosen_kinds))
        found: dict[str, Drawn] = {}

        @seed(chosen)
        @settings(
            max_examples=draws, deadline=None, database=None, phases=[Phase.generate],
            suppress_health_check=QUIET,
        )  # fmt: skip
        @given(strategy)
        def draw(one: Drawn) -> None:
            found.setdefault(one.shown, one)

        draw()
        came = []
        for one in [*found.values()][part]:
            came.append(judged(one, limit))
            tell(came[-1])
        return came


@contextmanager
def room() -> Iterator[Path]:
    """A folder that inputs read and write in, the current one meanwhile."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        (place / "file").write_text("a file")
        (place / "study.toml").write_text(toml(STUDY))
        (place / "mine.py").write_text(MINE)
        os.chdir(place)
        sys.path.insert(0, str(place))
        try:
            yield place
        finally:
            sys.path.remove(str(place))
            os.chdir(before)


def summary(came: Sequence[Came]) -> str:
    """Counts by kind and what came."""
    table = Counter((one.drawn.kind, "spoilt" if one.drawn.spoilt else "sound", one.standing)
                    for one in came)  # fmt: skip
    rows = [f"{n:5d}  {' '.join(key)}" for key, n in sorted(table.items())]
    faults = sum(one.fault for one in came)
    slowest = max(came, key=lambda one: one.seconds, default=None)
    tail = f"; slowest {slowest.seconds:.1f} s: {slowest.drawn.shown}" if slowest else ""
    return "\n".join((*rows, f"{len(came)} inputs, {faults} with a fault{tail}"))

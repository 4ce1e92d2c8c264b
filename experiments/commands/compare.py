"""``rateproof compare``: rows beside each other at one budget, a table and a figure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape

from algorithms.catalogue import problem, row
from algorithms.core.names import look_up
from algorithms.engine.replicas import LEVEL
from algorithms.engine.run import Diverged
from experiments.commands.console import (
    at_least,
    bad_input,
    console,
    dump,
    interval_text,
    number,
    print_error,
    print_note,
    writable,
)
from experiments.commands.grid import print_table
from experiments.compare.axes import AXES
from experiments.compare.clustered import OnCluster
from experiments.compare.comparing import compare_rows
from experiments.compare.comparison import Comparison
from experiments.compare.tuned_rows import Tuning, read_settings
from experiments.figures.style import save, styled


def compare_command(
    keys: Sequence[str],
    problem_name: str,
    *,
    axis: str,
    budget: float | None,
    target: float | None,
    tuning: str,
    settings: Sequence[str],
    of_workers: bool,
    n: int,
    steps: int,
    replicas: int,
    seed: int,
    out: Path,
    as_json: bool,
    place: OnCluster | None = None,
) -> int:
    """Exit code 1 if a run diverged."""
    with bad_input():
        at_least("n", n, 2)
        at_least("T", steps, 1)
        writable(out)
        equal = look_up("axis", axis, {name: name for name in AXES})
        by = look_up("tuning", tuning, {one.value: one for one in Tuning})
        try:
            found = compare_rows(
                [row(key) for key in keys], problem(problem_name, n), axis=equal, tuning=by,
                steps=steps, replicas=replicas, seed=seed, budget=budget, target=target,
                of_workers=of_workers, settings=by_row(settings, keys), place=place,
                announce=print_note,
            )  # fmt: skip
        except Diverged as error:
            print_error(f"{error} (seed {seed}); --tuning grid, or leaving that row out, would do")
            return 1
    where = [Path(place.cluster).stem] if place is not None and place.cluster else []
    words = "-".join([*keys, problem_name, axis, f"n{n}", f"seed{seed}", *where])
    stem = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:120]
    if not as_json:
        _show(found)
    with styled():
        drawn = save(found.figure(), out, stem)
        spread = save(found.replicas_figure(), out, f"{stem}-replicas")
        apart = save(found.differences_figure(), out, f"{stem}-differences")
    files = [*drawn, *spread, *apart, out / f"{stem}.parquet"]
    found.frame.to_parquet(files[-1], index=False)
    if as_json:
        dump(_data(found, files))
    else:
        _show_files(files)
    return 0


def by_row(words: Sequence[str], keys: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
    """``ROW:NAME=VALUE`` each, by row.

    Raises:
        ValueError: a word of another form, or a row that is not compared.
    """
    sorted_words: dict[str, list[str]] = {}
    for word in words:
        key, colon, rest = word.partition(":")
        if not colon or key not in keys:
            raise ValueError(
                f"--set must be ROW:NAME=VALUE with a row of {', '.join(keys)}, got {word!r}"
            )
        sorted_words.setdefault(key, []).append(rest)
    return {key: read_settings(mine) for key, mine in sorted_words.items()}


def _data(found: Comparison, files: Sequence[Path]) -> dict[str, Any]:
    return {
        "problem": found.problem,
        "n": found.n,
        "seed": found.seed,
        "equal": found.axis,
        "budget": found.budget,
        "quantity": found.quantity,
        "target": found.target,
        "level": LEVEL,
        "centre": "median" if found.heavy else "mean",
        "tested": found.tested,
        "rows": [
            one._asdict() | {"half_width": one.half_width, "verdict": one.verdict}
            for one in found.standings
        ],
        "files": [str(path) for path in files],
    }


def _show(found: Comparison) -> None:
    out, axis = console(False), AXES[found.axis]
    replicas = len(found.entrants[0].error)
    title = (
        f"{found.problem}, n = {found.n}, {replicas} replicas, seed {found.seed}: "
        f"{found.quantity} at {found.budget:.4g} {axis}"
    )
    error, ends = ("median", f"{LEVEL:.0%}") if found.heavy else ("error", f"± ({LEVEL:.0%})")
    heads = ("method", error, ends, "of the best", "p", "verdict",
             f"{found.axis} to {found.target:.3g}")  # fmt: skip
    lines = []
    for one in found.standings:
        spent = number(one.spent, 3) if math.isfinite(one.spent) else "not reached"
        lines.append((
            one.key, number(one.error), interval_text(one.low, one.high, found.heavy),
            number(one.ratio, 3), number(one.p, 2), one.verdict, spent,
        ))  # fmt: skip
    print_table(out, heads, lines, escape(title))
    for one in found.standings:
        out.print(escape(f"{one.key}: {one.description}"), highlight=False, soft_wrap=True)
    for one in found.standings:
        if one.verdict.startswith("not") and math.isfinite(one.enough):
            out.print(
                f"{one.key}: about {one.enough:.0f} replicas would tell it from the best, if the "
                "difference is what these runs show (--replicas)", highlight=False, soft_wrap=True,
            )  # fmt: skip
    out.print(
        found.tested,
        highlight=False,
        soft_wrap=True,
    )


def _show_files(files: Sequence[Path]) -> None:
    out = console(False)
    for path in files:
        out.print(f"written: {path}", highlight=False, soft_wrap=True)

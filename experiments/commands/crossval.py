"""``rateproof crossval``: the simulation against real ranks."""

from __future__ import annotations

from collections.abc import Sequence

from algorithms.catalogue import Row
from algorithms.collectives.base import Collective
from algorithms.collectives.sparse import SparseAllGather
from experiments.commands.console import at_least, bad_input, console, show_verdicts
from experiments.ranks.crossval import main_crossval
from experiments.ranks.named_rows import named_rows
from proofs_check.collectives.on_ranks import LISTS, on_ranks


def crossval_command(ranks: int, keys: Sequence[str] = (), *, as_json: bool) -> int:
    """Of the rows called ``keys`` and their forms, or of all; exit code 1 if one differs."""
    with bad_input():
        at_least("ranks", ranks, 2)
        rows, parts = _split(named_rows(keys))
        named, time = (", ".join(keys), "") if keys else ("every ready row", ": some minutes")
        workers = f", {2 * ranks} workers" if rows else ""
        description = f"{named} on {ranks} ranks{workers}{time}"
        console(True).print(description, highlight=False)
        verdicts = main_crossval(ranks, rows=rows) if rows else ()
        lists = LISTS if any(isinstance(part, SparseAllGather) for part in parts) else ()
        verdicts += on_ranks(ranks, parts, lists)
    return show_verdicts(verdicts, as_json)


def _split(rows: Sequence[Row]) -> tuple[tuple[Row, ...], tuple[Collective, ...]]:
    """Methods, and the collectives of rows that are none.

    Raises:
        ValueError: a row is neither.
    """
    parts = [p for r in rows if r.subject for p in r.subject.parts if isinstance(p, Collective)]
    runs = tuple(r for r in rows if not (r.subject and set(r.subject.parts) <= set(parts)))
    for one in runs:
        one.ready()
    return runs, tuple(parts)

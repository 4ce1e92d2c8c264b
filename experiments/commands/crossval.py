"""``rateproof crossval``: the simulation against real ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from algorithms.catalogue import Row
from algorithms.collectives.base import Collective
from algorithms.collectives.sparse import SparseAllGather
from experiments.commands.as_found import told
from experiments.commands.console import at_least, bad_input, console, exit_code, show_verdicts
from experiments.commands.grid import LAYOUT
from experiments.ranks.crossval import compared_with_ranks
from experiments.ranks.named_rows import named_rows
from proofs_check.collectives.on_ranks import LISTS, on_ranks
from proofs_check.verdict import Verdict


def crossval_command(ranks: int, keys: Sequence[str] = (), *, as_json: bool) -> int:
    """Of the rows called ``keys`` and their forms, or of all; exit code 1 if one differs."""
    with bad_input():
        at_least("ranks", ranks, 2)
        rows, parts = _split(named_rows(keys))
        named, time = (", ".join(keys), "") if keys else ("every ready row", ": some minutes")
        workers = f", {2 * ranks} workers" if rows else ""
        description = f"{named} on {ranks} ranks{workers}{time}"
        console(True).print(description, highlight=False)
        found = _found(ranks, rows, parts)
        if as_json or LAYOUT.tsv:
            return show_verdicts(tuple(found), as_json)
        return exit_code(told(found, console(False)))


def _found(ranks: int, rows: Sequence[Row], parts: Sequence[Collective]) -> Iterator[Verdict]:
    if rows:
        yield from compared_with_ranks(ranks, rows=rows)
    lists = LISTS if any(isinstance(part, SparseAllGather) for part in parts) else ()
    yield from on_ranks(ranks, parts, lists)


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

"""``rateproof crossval``: the simulation against real ranks."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.commands.console import at_least, bad_input, console, show_verdicts
from experiments.crossval import main_crossval
from experiments.named_rows import named_rows


def crossval_command(ranks: int, keys: Sequence[str] = (), *, as_json: bool) -> int:
    """Of the rows called ``keys`` and their forms, or of all; exit code 1 if one differs."""
    with bad_input():
        at_least("ranks", ranks, 2)
        rows = named_rows(keys)
        for one in rows:
            one.ready()
        named, time = (
            (f"{', '.join(r.key for r in rows)}", "")
            if keys
            else ("every ready row", ": some minutes")
        )
        told = f"{named} on {ranks} ranks, {2 * ranks} workers{time}"
        console(True).print(told, highlight=False)
        verdicts = main_crossval(ranks, rows=rows)
    return show_verdicts(verdicts, as_json)

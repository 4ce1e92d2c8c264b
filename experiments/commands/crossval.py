"""``rateproof crossval``: the simulation against real ranks."""

from __future__ import annotations

from experiments.commands.console import at_least, bad_input, console, show_verdicts
from experiments.crossval import main_crossval


def crossval_command(ranks: int, *, as_json: bool) -> int:
    """Exit code 1 if a method differs between the two worlds."""
    with bad_input():
        at_least("ranks", ranks, 2)
        told = f"every ready row on {ranks} ranks, {2 * ranks} workers: some minutes"
        console(True).print(told, highlight=False)
        verdicts = main_crossval(ranks)
    return show_verdicts(verdicts, as_json)

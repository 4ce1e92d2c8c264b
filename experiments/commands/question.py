"""``rateproof question``: questions that people ask, answered by comparisons that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from algorithms.core.names import look_up
from experiments.commands.console import bad_input, console, dump, writable
from experiments.commands.grid import print_table
from experiments.questions import kept
from experiments.questions.drawing import written


def question_command(key: str | None, *, out: Path | None, as_json: bool) -> int:
    """Print all answers in a line each, or one with its tables; with ``out``, draw them there."""
    known = kept.stored()
    with bad_input():
        chosen = known if key is None else {key: look_up("question", key, known)}
        if out is not None:
            writable(out)
    if as_json:
        dump(chosen)
    if out is not None:
        written(out, chosen)
    if as_json:
        return 0
    screen = console(False)
    for name, one in chosen.items():
        screen.print(f"[bold]{name}[/]: {escape(one['asked'])}", highlight=False)
        for record in one["parts"]:
            told = f" ({kept.measured(record)})" if key is None else ""
            answer = f"  {record['title']}{told}: {kept.sentence(record)}"
            screen.print(escape(answer), highlight=False)
            if key is not None:
                _print_record(screen, record)
    if key is None:
        screen.print("One with its tables: rateproof question KEY", highlight=False)
    return 0


def _print_record(out: Console, record: dict[str, Any]) -> None:
    rows = record["rows"] if record["kind"] != "sweep" else record["curves"]
    if record["kind"] == "sweep":
        heads = ("method", *(f"{value:g}" for value in rows[0]["x"]))
        lines = [(one["name"], *map(kept.number, one["y"])) for one in rows]
        print_table(out, heads, lines, escape(record["variable"]))
    elif record["kind"] == "state":
        heads = ("method", "in every worker", "one for all")
        lines = [(one["name"], kept.number(one["own"]), kept.number(one["common"])) for one in rows]
        print_table(out, heads, lines, escape(record["title"]))
    else:
        budget = f"{record['budget']:.4g} {record['axis']}"
        title = f"{record['problem']}, n = {record['n']}: {record['quantity']} at {budget}"
        heads = ("method", "error", "95% interval", "of the best", "verdict", "to the target")
        lines = [
            (
                one["name"], kept.number(one["error"]),
                f"{kept.number(one['low'])} to {kept.number(one['high'])}",
                kept.number(one["ratio"]), one["verdict"], kept.number(one["spent"]),
            )
            for one in rows
        ]  # fmt: skip
        print_table(out, heads, lines, escape(title))

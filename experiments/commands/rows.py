"""``rateproof list``: the catalogue as a table or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.commands.console import at_least, bad_input, console, dump
from experiments.commands.survey_results import read_results
from experiments.listing.kept import ListedProblem, Measured, listing

READY = "ready"


def measured_effects(report: Path, check: str) -> dict[str, Measured]:
    """By row, what the survey in the folder ``report`` found; empty where there is none.

    ``check`` is what it calls the check of an effect.

    Raises:
        ValueError: its table cannot be read.
    """
    columns = ("row", "check", "claim", "evidence", "statistic", "verdict")
    lines = [line for line in read_results(report, columns) if line["check"] == check]
    return {
        str(line["row"]): Measured(
            sentence=f"{line['claim']}: {line['evidence']}",
            number=float(line["statistic"]),
            verdict=str(line["verdict"]),
        )
        for line in lines
    }


def list_command(*, ready: bool, d: int, as_json: bool, report: Path, forms: bool = False) -> int:
    """Print the rows, with ``forms`` those that have forms; exit code 0.

    ``report`` is the folder of a survey, which need not be.
    """
    with bad_input():
        at_least("d", d, 1)
        known = listing(d)
        found = measured_effects(report, known["check"])
    every = [row | {"effect": found.get(row["key"], row["effect"])} for row in known["rows"]]
    rows = [row for row in every if row["state"] == READY or not ready]
    rows = [row for row in rows if row["forms"] or not forms]
    if as_json:
        dump(rows)
        return 0
    out = console(False)
    for row in rows:
        if row["state"] == READY:
            _block(out, row)
    planned = [row for row in rows if row["state"] != READY]
    if planned:
        table = Table(title=f"{len(planned)} rows planned", title_justify="left", box=SIMPLE_HEAD)
        for name in ("key", "family"):
            table.add_column(name, no_wrap=True)
        table.add_column("what it is", overflow="fold")
        for row in planned:
            table.add_row(escape(row["key"]), row["family"], escape(row["what"]))
        out.print(table)
    _problems(out, known["problems"])
    count = sum(row["state"] != READY for row in every)
    out.print(
        f"{len(every) - count} ready, {count} planned; claims for d = {d}",
        highlight=False,
    )
    return 0


def _problems(out: Console, problems: Sequence[ListedProblem]) -> None:
    """What the rows run on."""
    table = Table(title="problems", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("name", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    for one in problems:
        name = f"{one['name']} *" if one["dealt"] else one["name"]
        table.add_row(name, escape(one["title"]))
    out.print(table)
    out.print(
        "* data dealt to workers as you like: NAME@iid, NAME@dirichlet=0.1, NAME@sorted",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


def _block(out: Console, row: dict[str, Any]) -> None:
    """A ready row with all it says of itself."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    if row["effect"]:
        told = row["effect"]["verdict"] or "not measured yet"
        grid.add_row("  shows", f"{escape(row['effect']['sentence'])} [dim]({told})[/]")
    for claim in row["claims"]:
        grid.add_row("  claims", escape(claim))
    for result in row["results"]:
        grid.add_row("  theory", escape(f"{result['title']} ({result['source']})"))
    if row["why"]:
        grid.add_row("  no theorem", escape(row["why"]))
    for form in row["forms"]:
        grid.add_row("  form", escape(f"{row['key']}:{form['name']}, {form['what']}"))
    if row["parts"]:
        grid.add_row(f"  {row['kind']}", ", ".join(row["parts"]))
        grid.add_row("  checked by", f"rateproof check {row['key']}")
    else:
        grid.add_row("  runs on", ", ".join(row["problems"]))
    head = f"[bold green]{escape(row['key'])}[/]  {escape(row['what'])}  [dim]{row['family']}[/]"
    out.print(head, highlight=False)
    out.print(grid, highlight=False)
    out.print()

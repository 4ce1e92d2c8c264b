"""``rateproof list``: the catalogue as a table or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.commands.console import at_least, bad_input, console, dump
from experiments.commands.grid import LAYOUT, print_table
from experiments.commands.survey_results import read_results
from experiments.listing.kept import ListedProblem, Measured, listing
from experiments.storage.folders import require_survey

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

    ``report`` is the folder of a survey; the usual one need not be.
    """
    with bad_input():
        at_least("d", d, 1)
        require_survey(report)
        known = listing(d)
        found = measured_effects(report, known["check"])
    every = [row | {"effect": found.get(row["key"], row["effect"])} for row in known["rows"]]
    rows = [row for row in every if row["state"] == READY or not ready]
    rows = [row for row in rows if row["forms"] or not forms]
    if as_json:
        dump(rows)
        return 0
    out = console(False)
    if LAYOUT.tsv:
        heads = ("key", "family", "state", "surveyed", "what it is")
        print_table(out, heads, ((escape(row["key"]), row["family"], row["state"],
                                  "yes" if row["surveyed"] else "no", escape(row["what"]))
                                 for row in rows))  # fmt: skip
        return 0
    ready_rows = [row for row in rows if row["state"] == READY]
    for surveyed, heading in ((True, "methods of the surveys"), (False, "methods since")):
        shown = [row for row in ready_rows if row["surveyed"] is surveyed]
        if shown:
            out.rule(f"{heading}: {len(shown)}", align="left", characters="-")
        for row in shown:
            _block(out, row)
    planned = [row for row in rows if row["state"] != READY]
    if planned:
        lines = ((escape(row["key"]), row["family"], escape(row["what"])) for row in planned)
        print_table(out, ("key", "family", "what it is"), lines, f"{len(planned)} methods planned")
    _problems(out, known["problems"])
    count = sum(row["state"] != READY for row in every)
    since = sum(not row["surveyed"] for row in every)
    out.print(
        f"{len(every) - since} of the surveys, {since} since; {len(every) - count} ready, "
        f"{count} planned; claims for d = {d}",
        highlight=False,
    )
    return 0


def _problems(out: Console, problems: Sequence[ListedProblem]) -> None:
    """Print the problems of the rows."""
    lines = (
        (f"{one['name']} *" if one["dealt"] else one["name"], escape(one["title"]))
        for one in problems
    )
    print_table(out, ("problem", "what it is"), lines)
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

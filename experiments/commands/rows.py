"""``rateproof list``: the catalogue as a table or as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from algorithms.catalogue import PROBLEMS, ROWS, Row, forms_of
from experiments.commands.console import at_least, bad_input, console, dump
from proofs_check.instruments.signature import CHECK
from proofs_check.signatures import SIGNATURES
from theory.theorem import Result

READY = "ready"


def row_data(row: Row, d: int, measured: Mapping[str, Measured] | None = None) -> dict[str, Any]:
    """One row as JSON has it; claims are stated for dimension d.

    ``measured`` has by key what a survey found of the rows' signatures.
    """
    return {
        "key": row.key,
        "family": row.family,
        "what": row.what,
        "source": row.source,
        "state": row.state,
        "kind": row.kind,
        "parts": [part.name for part in row.subject.parts] if row.subject else [],
        "signature": (measured or {}).get(row.key, unmeasured(row.key)),
        "claims": list(row.claims(d)),
        "theorems": [_named(theorem) for theorem in row.theorems],
        "results": [_named(result) for result in row.results],
        "why": row.why,
        "problems": list(row.problems),
        "forms": [
            {"name": form.key.partition(":")[2], "what": form.what, "problems": list(form.problems)}
            for form in forms_of(row.key)
        ],
    }


class Measured(TypedDict):
    """A row's signature; number and verdict are None where no survey has measured it.

    Attributes:
        sentence: the effect, with its figures where it was measured.
        number: the method's share of the baseline's quantity.
        verdict: of the check.
    """

    sentence: str
    number: float | None
    verdict: str | None


def unmeasured(key: str) -> Measured | None:
    """A row's signature before any survey; None where it has none."""
    signature = SIGNATURES.get(key)
    return Measured(sentence=signature.effect, number=None, verdict=None) if signature else None


def measured_signatures(report: Path) -> dict[str, Measured]:
    """By row, what the survey in the folder ``report`` found; empty where there is none.

    Raises:
        ValueError: its table cannot be read.
    """
    path = report / "results.parquet"
    if not path.is_file():
        return {}
    import pandas as pd

    try:
        table = pd.read_parquet(
            path, columns=["row", "check", "claim", "evidence", "statistic", "verdict"]
        )
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"{path} is no results table ({error}); `make survey` writes it anew"
        ) from error
    lines = table[table["check"] == CHECK].to_dict("records")
    return {
        str(line["row"]): Measured(
            sentence=f"{line['claim']}: {line['evidence']}",
            number=float(line["statistic"]),
            verdict=str(line["verdict"]),
        )
        for line in lines
    }


def _named(result: Result) -> dict[str, str]:
    return {"name": result.name, "title": result.title, "source": str(result.source)}


def list_command(*, ready: bool, d: int, as_json: bool, report: Path, forms: bool = False) -> int:
    """Print the rows, with ``forms`` those that have forms; exit code 0.

    ``report`` is the folder of a survey, which need not be.
    """
    with bad_input():
        at_least("d", d, 1)
        found = measured_signatures(report)
        rows = [row_data(row, d, found) for row in ROWS if row.state == READY or not ready]
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
    _problems(out)
    count = sum(row.state != READY for row in ROWS)
    out.print(
        f"{len(ROWS) - count} ready, {count} planned; claims for d = {d}",
        highlight=False,
    )
    return 0


def _problems(out: Console) -> None:
    """What the rows run on."""
    table = Table(title="problems", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("name", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    for entry in PROBLEMS:
        table.add_row(f"{entry.name} *" if entry.dealt else entry.name, escape(entry.title))
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
    if row["signature"]:
        told = row["signature"]["verdict"] or "not measured yet"
        grid.add_row("  shows", f"{escape(row['signature']['sentence'])} [dim]({told})[/]")
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

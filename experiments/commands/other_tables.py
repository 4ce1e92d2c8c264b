"""``rateproof table`` for tables of names, influences and rounds: all but Table IV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from algorithms.catalogue import ROWS
from experiments.commands.console import console, dump, number
from experiments.reporting.influences import influence_lines_of
from experiments.reporting.signs import pretty
from proofs_check.cell import Cell, CellResult
from theory.survey.speedup_rounds import TABLE_2
from theory.survey.taxonomy import TABLE_I


def taxonomy_records() -> list[dict[str, Any]]:
    """Table I: each entry with its rows and how many of them run."""
    states = {row.key: row.state for row in ROWS}
    return [
        {
            "dimension": one.dimension, "method": one.method,
            "rows": {key: states[key] for key in one.rows},
        }
        for one in TABLE_I
    ]  # fmt: skip


def show_taxonomy(as_json: bool) -> int:
    """Print Table I; exit code 0."""
    records = taxonomy_records()
    lines = [
        (one["dimension"], one["method"],
         ", ".join(key if state == "ready" else f"{key} ({state})"
                   for key, state in one["rows"].items()))
        for one in records
    ]  # fmt: skip
    _grid("Table I of survey 002", ("dimension", "method", "rows"), lines, records, as_json)
    return 0


def influence_records(results: dict[Cell, CellResult]) -> list[dict[str, Any]]:
    """Table II: the survey's words and the numbers of each combination."""
    return [
        line["words"]._asdict() | {"measured": line["measured"]}
        for line in influence_lines_of(results.values())
        if line["words"].consistency != "-"
    ]


def show_influences(results: dict[Cell, CellResult], as_json: bool) -> int:
    """Print Table II; exit code 0."""
    records = influence_records(results)
    if not records and not as_json:
        tell("Table II was not measured in this folder; --measure does it", [], False)
        return 0
    lines = []
    for one in records:
        m = one["measured"] or {}
        lines.append((
            f"{one['architecture']}, {one['synchronisation']}",
            f"{one['consistency']}: {m.get('spread', '-')}",
            f"{one['frequency']}: {m.get('frequency', '-')}",
            f"{one['congestion']}: {m.get('burst', '-')}",
            f"{one['convergence']}: {m.get('error', '-')}",
        ))  # fmt: skip
    heads = (
        "combination", "consistency: rms distance", "frequency: messages a gradient",
        "congestion: messages at once", "convergence: error",
    )  # fmt: skip
    _grid("Table II of survey 002", heads, lines, records, as_json)
    return 0


def round_records(results: dict[Cell, CellResult]) -> list[dict[str, Any]]:
    """Table 2 of survey 000: rounds as powers of T and n, and the verdicts on them."""
    by_row: dict[str, list[dict[str, Any]]] = {}
    for cell, result in results.items():
        by_row.setdefault(cell.row, []).extend(verdict.record() for verdict in result.verdicts)
    return [
        {
            "row": one.key, "source": str(one.source), "T": float(one.steps),
            "n": float(one.workers), "K": -float(one.period), "speedup": one.speedup,
            "confidence": one.confidence.value, "verdicts": by_row.get(one.key, []),
        }
        for one in TABLE_2
    ]  # fmt: skip


def show_rounds(results: dict[Cell, CellResult], as_json: bool) -> int:
    """Print Table 2 of survey 000; exit code 0."""
    records = round_records(results)
    lines = []
    for one in records:
        powers = [f"{name}^{one[name]:.3g}" for name in ("T", "n", "K") if one[name]]
        found = [f"{v['claim']}: {v['outcome']}, {number(v['statistic'])}" for v in one["verdicts"]]
        lines.append((
            one["row"], pretty(" ".join(powers)) or "1",
            {True: "yes", False: "no", None: "not said"}[one["speedup"]],
            "\n".join(found) or "no study in this folder", one["source"],
        ))  # fmt: skip
    heads = ("row", "rounds", "linear speedup", "measured", "source")
    _grid("Table 2 of survey 000", heads, lines, records, as_json)
    return 0


def _grid(
    title: str, heads: Sequence[str], lines: Sequence[Sequence[str]], records: Any, as_json: bool
) -> None:
    if as_json:
        dump(records)
        return
    grid = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for head in heads:
        grid.add_column(head, overflow="fold")
    for line in lines:
        grid.add_row(*map(escape, line))
    console(False).print(grid)


def tell(sentence: str, records: Any, as_json: bool) -> None:
    """Print one sentence in place of a table."""
    if as_json:
        dump({"told": sentence, "lines": records})
    else:
        console(False).print(sentence, highlight=False, soft_wrap=True)

"""``rateproof table`` for tables of names, influences and rounds: all but Table IV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape

from algorithms.catalogue import ROWS
from algorithms.collectives.base import Collective, counted
from experiments.commands.console import bad_input, console, dump, number, print_note
from experiments.commands.grid import print_table
from experiments.commands.rows import measured_effects
from experiments.figures.signs import pretty
from experiments.listing.kept import Measured
from experiments.listing.made import unmeasured
from experiments.reporting.influences import influence_lines_of
from proofs_check.cell import Cell, CellResult
from proofs_check.instruments.effect_check import CHECK
from theory.survey.all_reduce_costs import TABLE_III
from theory.survey.speedup_rounds import TABLE_2
from theory.survey.taxonomy import TABLE_I

NODES = (8, 16, 12)
"""Of Table III: two powers of two, and a number that is none."""


def taxonomy_records(report: Path) -> list[dict[str, Any]]:
    """Table I: each entry with its rows, whether they run, and what stands behind each: the effect
    of its effect, with number and verdict where the survey in ``report`` measured it. None: the
    row is no run and has closed forms, not an effect.

    Raises:
        ValueError: the survey's table cannot be read.
    """
    states = {row.key: row.state for row in ROWS}
    measured = measured_effects(report, CHECK)
    return [
        {
            "dimension": one.dimension, "method": one.method,
            "rows": {key: states[key] for key in one.rows},
            "evidence": {key: measured.get(key, unmeasured(key)) for key in one.rows},
        }
        for one in TABLE_I
    ]  # fmt: skip


def show_taxonomy(report: Path, as_json: bool) -> int:
    """Print Table I; exit code 0, 2 where the survey in ``report`` cannot be read."""
    with bad_input():
        records = taxonomy_records(report)
    lines = [
        (one["dimension"], one["method"],
         "\n".join(_evidence(key, one["evidence"][key]) for key in one["rows"]))
        for one in records
    ]  # fmt: skip
    heads = ("dimension", "method", "rows, and the effect measured beside a baseline")
    _grid("Table I of survey 002", heads, lines, records, as_json)
    return 0


def _evidence(key: str, found: Measured | None) -> str:
    if found is None:
        return f"{key}: closed forms"
    stated = unmeasured(key)
    effect = stated["sentence"] if stated else found["sentence"]
    if found["verdict"] is None:
        return f"{key}: {effect} (not measured in this folder)"
    return f"{key}: {effect} ({found['verdict']}, {number(found['number'], 3)})"


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
    if not records:
        print_note("Table II was not measured in this folder; --measure does it")
        if not as_json:
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


def all_reduce_records() -> list[dict[str, Any]]:
    """Table III: printed multiples of alpha and beta N, and those counted in every program.

    Rows without a collective for so many nodes, or with several, have what its first one has.
    """
    records = []
    for line in TABLE_III:
        for n in NODES:
            printed, seen = line.multiples(n), _counted(line.row, n)
            agrees = None
            if printed is not None and seen is not None:
                agrees = all(abs(a - b) <= 1e-12 * b for a, b in zip(seen, printed, strict=True))
            records.append({
                "algorithm": line.algorithm, "row": line.row, "new": printed is None, "n": n,
                "latency": line.latency, "bandwidth": line.bandwidth, "printed": printed,
                "counted": seen, "agrees": agrees,
                "erratum": "T11" if agrees is False else "",
            })  # fmt: skip
    return records


def _counted(key: str, n: int) -> tuple[float, float] | None:
    """Messages and vectors that cross one after another in the row's program for n nodes."""
    one = next(row for row in ROWS if row.key == key)
    parts = one.subject.parts if one.subject else ()
    collective = next(part for part in parts if isinstance(part, Collective))
    try:
        made = collective.with_workers(n)
    except ValueError:
        return None
    d = made.parts
    found = counted(made.rounds(d), made.nodes)
    return float(found.steps), found.path / d


def show_all_reduce(as_json: bool) -> int:
    """Print Table III; exit code 0, or 1 if a formula fails at a power of two."""
    records = all_reduce_records()
    lines = []
    for one in records:
        description = ("no form for so many" if one["counted"] is None
                else " and ".join(number(x, 4) for x in one["counted"]))  # fmt: skip
        stated = "new" if one["new"] else " and ".join(number(x, 4) for x in one["printed"])
        verdict = {True: "agrees", False: "differs (T11)", None: "–"}[one["agrees"]]
        lines.append((
            one["algorithm"], one["latency"] or "–", one["bandwidth"] or "–", str(one["n"]), stated,
            description, verdict,
        ))  # fmt: skip
    heads = (
        "algorithm", "latency / alpha", "bandwidth / (beta N)", "n", "printed", "counted", "",
    )  # fmt: skip
    _grid("Table III of survey 002", heads, lines, records, as_json)
    whole = [one for one in records if not one["n"] & (one["n"] - 1)]
    return 1 if any(one["agrees"] is False for one in whole) else 0


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
    print_table(console(False), heads, ([escape(cell) for cell in line] for line in lines), title)

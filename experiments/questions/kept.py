"""Answers as they are kept, and in one sentence each."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from experiments.figures.lines import DrawnLine, LineCurves

STORED = Path(__file__).with_name("found.json")
"""Answers that were computed; ``python -m experiments.questions`` computes them again."""


@cache
def stored() -> dict[str, dict[str, Any]]:
    """Answers by question: what is asked, why it can be answered, and a record for each part."""
    found: dict[str, dict[str, Any]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def sentence(record: dict[str, Any]) -> str:
    """The answer that a record gives: who is best and by how much, or who leaves least."""
    return {"contest": _of_contest, "sweep": _of_sweep, "state": _of_state}[record["kind"]](record)


def measured(record: dict[str, Any]) -> str:
    """What a record's numbers are."""
    if record["kind"] == "state":
        return "in the worker, and its share of what one keeps for all"
    spent = f" at {record['budget']:.4g} {record['axis']}" if record["kind"] == "contest" else ""
    return f"{record['quantity']}{spent}"


def anchor(key: str, number: int) -> str:
    """Place of a question's part, counted from 1, on the page of questions."""
    return f"{key}-{number}"


def _of_state(record: dict[str, Any]) -> str:
    """Who keeps how many numbers, the least first."""
    by_count: dict[float, list[str]] = {}
    for one in record["rows"]:
        by_count.setdefault(one["own"] + one["common"], []).append(one["name"])
    return "; ".join(f"{count:g}: {', '.join(names)}" for count, names in sorted(by_count.items()))


def _of_contest(record: dict[str, Any]) -> str:
    best, *others = record["rows"]
    level = [one["name"] for one in others if one["verdict"].startswith("not")]
    words = f"{best['name']} is best ({number(best['error'])})"
    if level:
        words += f", not told apart from {' and '.join(level)}"
    worse = [one for one in others if one["verdict"] == "worse"]
    if worse:
        words += "".join(f"; {one['name']} {beside(one)}" for one in worse)
    return words


def beside(one: Mapping[str, Any]) -> str:
    """A worse row's error: as a multiple of the best's, or by itself where that is no measure."""
    ratio = one["ratio"]
    return f"x {number(ratio)}" if ratio is not None and ratio < _FAR else number(one["error"])


_FAR = 1e4  # times the best error: beyond it errors are told by themselves


def _of_sweep(record: dict[str, Any]) -> str:
    """Lines in words: those that leave nothing at any value, and how the others grow."""
    exact, left, gone = floors(record)
    words = [f"no error is left by {', '.join(exact)}"] if exact else []
    biased = [f"{name} {number(first)} to {number(last)}" for name, first, last in left]
    words += [f"left by {', '.join(biased)}"] if biased else []
    words += [f"diverged at some value: {', '.join(gone)}"] if gone else []
    return "; ".join(words)


def floors(
    record: Mapping[str, Any],
) -> tuple[list[str], list[tuple[str, float, float]], list[str]]:
    """Arms of a sweep: those that leave nothing, those that leave something with the errors at both
    ends, and those that diverged."""
    exact: list[str] = []
    left: list[tuple[str, float, float]] = []
    gone: list[str] = []
    for curve in record["curves"]:
        y = [math.inf if value is None else value for value in curve["y"]]
        if max(y) < EXACT:
            exact.append(curve["name"])
        elif not math.isfinite(max(y)):
            gone.append(curve["name"])
        else:
            left.append((curve["name"], y[0], y[-1]))
    return exact, left, gone


EXACT = 1e-12
"""Error below which a sweep's run counts as without a floor: rounding in double precision."""


def number(value: float | None) -> str:
    """Three digits, or that it is infinite."""
    return "infinite" if value is None else f"{value:.3g}"


def curves(record: dict[str, Any]) -> LineCurves:
    """The record's picture as data."""
    lines = tuple(
        DrawnLine(one["name"], *(_floats(one[name]) for name in ("x", "y", "low", "high")
                                 if name in one))
        for one in record["curves"]
    )  # fmt: skip
    label = record["axis"] if record["kind"] == "contest" else record["variable"]
    quantity = record["quantity"] if record["kind"] == "contest" else "error that is left"
    return LineCurves(f"{record['problem']}, n = {record['n']}", label, quantity, lines)


def _floats(values: list[float | None]) -> Any:
    return np.array([math.inf if value is None else value for value in values])

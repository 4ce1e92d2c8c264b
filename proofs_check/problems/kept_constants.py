"""Constants of the catalogue's problems against those that were found before.

A constant that is a bound is held from one side alone by what is found at points, and one that is
no longer stated is not held at all. ``kept_constants.json`` has, of every problem for 16 workers,
which constants it states, their values, and on which side of the truth each is meant to lie.
``python -m proofs_check.problems.keep_constants`` writes it anew.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from algorithms.problems.base import Problem
from proofs_check.verdict import CheckKind, Outcome, Verdict

FILE = Path(__file__).with_name("kept_constants.json")
"""By problem and name of a constant: its kind and its value."""

WORKERS = 16
"""Number of workers for which they are kept."""

ROUNDING = 1e-6
"""Relative difference that another processor, or other libraries, may make."""

Stated = dict[str, tuple[str, float]]


@cache
def stored() -> dict[str, Stated]:
    """Everything that is kept."""
    text = FILE.read_text(encoding="utf-8") if FILE.exists() else "{}"
    found: dict[str, dict[str, list[object]]] = json.loads(text)
    return {
        problem: {name: (str(one[0]), float(str(one[1]))) for name, one in of.items()}
        for problem, of in found.items()
    }


def stated(problem: Problem) -> Stated:
    """Kind and value of every number that a problem states."""
    c = problem.constants()
    return {
        name: (c.statements[name].kind.value, float(value))
        for name in c.stated()
        if name in c.statements and isinstance(value := getattr(c, name), bool | int | float)
    }


def kept_constants(name: str, problem: Problem) -> tuple[Verdict, ...]:
    """The constants that the catalogue's problem called ``name`` states, against those kept."""
    due = stored().get(name)
    if due is None or problem.n != WORKERS:
        return ()
    now, worst, faults = stated(problem), 0.0, list[str]()
    for constant in sorted({*due, *now}):
        one, other = now.get(constant), due.get(constant)
        if one is None or other is None or one[0] != other[0]:
            faults.append(f"{constant} is {_told(one)}, {_told(other)} before")
            continue
        off = abs(one[1] - other[1]) / max(abs(one[1]), abs(other[1]), 1e-300)
        off = 0.0 if abs(one[1] - other[1]) <= 1e-12 else off  # rounding of what is 0
        worst = max(worst, off)
        if not off <= ROUNDING:
            faults.append(f"{constant} is {one[1]:.9g}, {other[1]:.9g} before")
    return (
        Verdict(
            subject=name, problem=name, check="kept constants", kind=CheckKind.PROBLEM,
            claim="every constant that was stated is stated, no looser and no tighter",
            outcome=Outcome.REFUTED if faults else Outcome.AGREES,
            statistic=worst, bound=ROUNDING, resolution=ROUNDING,
            evidence="; ".join(faults) or f"{len(due)} constants, {worst:.2g} off at most",
            provenance=f"{FILE.name}, {WORKERS} workers",
        ),
    )  # fmt: skip


def _told(one: tuple[str, float] | None) -> str:
    return "not stated" if one is None else f"{one[0]} {one[1]:.6g}"

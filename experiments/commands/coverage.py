"""``rateproof theorem --for ROW``: what covers a row by kind of problem, what the rest lacks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from algorithms.catalogue import Row, problem, row
from experiments.compare.inapplicable_theorems import broken_assumptions
from experiments.figures.signs import pretty
from experiments.listing.results import kind_of, meanings
from theory.constants import Constants
from theory.theorem import Order, Result

KINDS = ("strongly convex", "Polyak-Lojasiewicz", "convex", "non-convex")
"""Kinds of problems, the strongest first."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def coverage_record(key: str, n: int, steps: int) -> dict[str, Any]:
    """Results that cover a row: an answer for each kind of problem, and the assumptions that each
    of its problems violates.

    Raises:
        ValueError: there is no such row, or it is planned.
    """
    chosen = row(key)
    chosen.ready()
    problems, lacking = [], list[tuple[str, str, str]]()
    for name in chosen.problems:
        objective = problem(name, n)
        constants = chosen.tune(objective, steps).method.constants(objective).completed()
        broken = broken_assumptions(chosen, objective, steps, everything=True)
        problems.append({
            "problem": name,
            "kind": kind_of_problem(objective.constants().completed()),
            "covered_by": [one.name for one, why in broken if not why],
            "violated": {one.name: list(why) for one, why in broken if why},
        })  # fmt: skip
        lacking += [(what, one.name, name) for one, why in broken if why
                    for what in _lacks(constants, one.needs, why)]  # fmt: skip
    return {
        "row": key,
        "n": n,
        "T": steps,
        "answers": _answers(chosen, problems),
        "missing": _missing(lacking),
        "theorems": [result_line(one) for one in chosen.theorems],
        "results": [
            result_line(one) | {"assumes": getattr(one, "assumes", "")} for one in chosen.results
        ],
        "why": chosen.why,
        "problems": problems,
    }


def result_line(result: Result) -> dict[str, Any]:
    """A result as JSON has it in a list."""
    order = getattr(result, "order", None)
    return {
        "name": result.name,
        "kind": kind_of(result),
        "title": result.title,
        "order": None if order is None else str(order),
        "source": str(result.source),
        "confidence": result.confidence.value,
    }


def kind_of_problem(c: Constants) -> str:
    """The strongest of :data:`KINDS` that constants state."""
    if c.mu is not None and c.mu > 0:
        return KINDS[0]
    if c.pl is not None and c.pl > 0:
        return KINDS[1]
    return KINDS[2] if c.convex else KINDS[3]


def speed_up(order: Order | None) -> str:
    """Speed-up in n that an order means: by what power of n fewer steps reach an error."""
    if order is None:
        return "no power of n is stated"
    workers, time = (float(order.exponents.get(name, 0)) for name in ("n", "T"))
    if workers == 0:
        return "no speed-up in n"
    if order.linear or time == 0:
        return f"error falls as n^{workers:g}" if workers < 0 else f"error grows as n^{workers:g}"
    power = workers / time
    if power == 1:
        return "linear speed-up in n"
    return f"speed-up n^{power:.3g}" if power > 0 else f"slower with n, by n^{-power:.3g}"


def _answers(chosen: Row, problems: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Bound, rate and speed-up for each kind of problem that the row lists."""
    every = {one.name: one for one in (*chosen.theorems, *chosen.results)}
    found = []
    for kind in KINDS:
        mine = [one for one in problems if one["kind"] == kind]
        if not mine:
            continue
        covering = [name for name in every if any(name in one["covered_by"] for one in mine)]
        found.append({
            "kind": kind,
            "problems": [one["problem"] for one in mine],
            "covered": [one["problem"] for one in mine if one["covered_by"]],
            "bounds": [_answer(every[name]) for name in covering],
        })  # fmt: skip
    return found


def _answer(result: Result) -> dict[str, Any]:
    order = getattr(result, "order", None)
    return {
        "name": result.name,
        "order": None if order is None else str(order),
        "speed_up": speed_up(order),
    }


def _lacks(c: Constants, needs: Sequence[str], why: Sequence[str]) -> list[str]:
    """Constants that nobody states, or else the assumptions that fail, each by itself."""
    told = meanings()
    missing = c.missing(needs)
    return [f"{name} is not stated: {told.get(name, name)}" for name in missing] or list(why)


def _missing(lacking: Sequence[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """Each assumption that fails, once: with the results that want it and the problems where it
    fails; sentences that differ in numbers alone are one."""
    found: dict[str, dict[str, Any]] = {}
    for what, result, where in lacking:
        known = found.setdefault(
            _NUMBER.sub("#", what), {"what": what, "results": [], "problems": []}
        )
        for group, value in (("results", result), ("problems", where)):
            if value not in known[group]:
                known[group].append(value)
    return sorted(found.values(), key=lambda one: -len(one["problems"]))


def show_coverage(data: Mapping[str, Any], screen: Console) -> None:
    """The answer for each kind of problem first, then what fails, then what else is stated."""

    def say(text: str) -> None:
        screen.print(escape(text), highlight=False, soft_wrap=True)

    screen.print(f"[bold]{escape(data['row'])}[/], n = {data['n']}, T = {data['T']}")
    for one in data["answers"]:
        here = f"{one['kind']} ({', '.join(one['covered'] or one['problems'])})"
        if not one["bounds"]:
            say(f"{here}: no bound applies")
        for bound in one["bounds"]:
            order = pretty(bound["order"]) if bound["order"] else "no power of T"
            say(f"{here}: {bound['name']}, {order}, {bound['speed_up']}")
            here = "    also"
        left = [name for name in one["problems"] if name not in one["covered"]]
        if one["covered"] and left:
            say(f"    not on {', '.join(left)}")
    if data["why"]:
        say(f"no theorem tunes it: {data['why']}")
    for one in data["results"]:
        assumes = f"; assumes {one['assumes']}" if one["assumes"] else ""
        order = f", {pretty(one['order'])}" if one["order"] else ""
        say(f"{one['kind']} {one['name']}: {one['title']}{order} ({one['source']}){assumes}")
    if data["missing"]:
        say("what other results lack, and where:")
    for one in data["missing"]:
        every = len(one["problems"]) == len(data["problems"])
        where = "all problems" if every else ", ".join(one["problems"])
        say(f"  {one['what']}")
        say(f"    {', '.join(one['results'])}; on {where}")

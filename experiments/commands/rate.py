"""``rateproof rate``: the exponent that a row shows in one variable, beside the stated one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape

from algorithms.catalogue import entry_called, problem, row
from algorithms.core.names import look_up
from algorithms.tuning.parameters import with_settings
from experiments.commands.console import (
    at_least,
    bad_input,
    console,
    dump,
    exit_code,
    number,
    print_note,
    verdict_list,
    writable,
)
from experiments.commands.grid import print_table
from experiments.compare.tuned_rows import Tuning, read_settings, sweeping_step
from experiments.compare.two_variables import over_two
from experiments.figures.heatmap import HeatMaps, heatmap_figure
from experiments.figures.rate import rate_figure
from experiments.figures.style import save, styled
from experiments.notebooks.rated import rate_panel
from experiments.reporting.drawings import rate_curves
from proofs_check.methods.sweep import VARIABLES, sweep, sweep_verdict


def rate_command(
    key: str,
    on: str | None,
    *,
    vary: str,
    values: Sequence[float],
    gamma: float | None,
    tuning: str,
    settings: Sequence[str],
    n: int,
    steps: int,
    replicas: int,
    seed: int,
    error: float,
    out: Path,
    as_json: bool,
) -> int:
    """Exit code 1 if a stated order is refuted; without a problem ``on`` which to run, the row's
    first."""
    with bad_input():
        at_least("n", n, 2)
        at_least("T", steps, 8)
        at_least("replicas", replicas, 4)
        writable(out)
        if not 0 < error < 1:
            raise ValueError(f"error must lie in (0, 1), got error={error}")
        variables = [look_up("variable", name, {one: one for one in VARIABLES})
                     for name in vary.split(",")]  # fmt: skip
        if len(variables) > 2 or (len(variables) == 2 and values):
            raise ValueError(f"vary must be one variable or two without --value, got vary={vary}")
        mine = with_settings(row(key), read_settings(settings))
        problem_name = on or row(key).ready().problems[0]
        entry_called(problem_name)
        by = look_up("tuning", tuning, {one.value: one for one in Tuning})
        objective = problem(problem_name, n)
        mine.require_fit(objective)
        step = sweeping_step(mine, objective, steps, by, gamma, print_note)
        if len(variables) == 2:
            maps = over_two(
                mine, lambda size: problem(problem_name, size), (variables[0], variables[1]), n=n,
                steps=steps, replicas=replicas, seed=seed, step=step,
            )  # fmt: skip
            return _drawn(maps, f"{key} {problem_name} rate {vary}", out, as_json=as_json)
        (variable,) = variables
        found = sweep(
            mine, lambda size: problem(problem_name, size), variable, n=n, steps=steps,
            replicas=replicas, seed=seed, values=tuple(values), step=step,
        )  # fmt: skip
    steps_told = "a stepsize at each point" if step is None else str(step)
    description = f"seed {seed}, {replicas} replicas, {steps_told}"
    verdict = sweep_verdict(mine, found, problem_name, description, error)
    stem = re.sub(r"[^a-z0-9]+", "-", f"{key} {problem_name} rate {vary}".lower()).strip("-")
    with styled():
        files = save(rate_figure(rate_curves(rate_panel(found, verdict))), out, stem)
    if as_json:
        data = verdict.record() | {
            "variable": variable,
            "x": found.x.tolist(),
            "mean": found.samples.mean(axis=0).tolist(),
            "quantity": found.quantity,
            "files": [str(path) for path in files],
        }
        dump(data)
    else:
        screen = console(False)
        screen.print(verdict_list((verdict,)), highlight=False)
        for path in files:
            screen.print(f"plot: {path}", highlight=False, soft_wrap=True)
    return exit_code((verdict,))


def _drawn(maps: HeatMaps, name: str, out: Path, *, as_json: bool) -> int:
    """The heat map of two variables as files, and its numbers."""
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    with styled():
        files = save(heatmap_figure(maps), out, stem)
    (panel,) = maps.panels
    if as_json:
        dump({
            "title": maps.title, "quantity": maps.quantity, "x": maps.x_label, "y": maps.y_label,
            "x_values": list(maps.x), "y_values": list(maps.y), "error": panel.values.tolist(),
            "files": [str(path) for path in files],
        })  # fmt: skip
        return 0
    screen = console(False)
    heads = (escape(f"{maps.y_label}, by {maps.x_label}"), *map(escape, maps.x))
    lines = (
        (escape(value), *(number(error, 3) for error in line))
        for value, line in zip(maps.y, panel.values, strict=True)
    )
    print_table(screen, heads, lines, escape(f"{maps.title}: {maps.quantity}"))
    for path in files:
        screen.print(f"plot: {path}", highlight=False, soft_wrap=True)
    return 0

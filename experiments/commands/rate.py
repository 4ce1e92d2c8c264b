"""``rateproof rate``: the exponent that a row shows in one variable, beside the stated one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

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
    files_written,
    number,
    print_note,
    verdict_list,
    writable,
)
from experiments.commands.grid import print_table
from experiments.compare.tuned_rows import Tuning, read_settings, sweeping_step
from proofs_check.methods.sweep import VARIABLES, Sweep, rate_panel, sweep, sweep_verdict
from proofs_check.verdict import Verdict

if TYPE_CHECKING:
    from experiments.figures.heatmap import HeatMaps


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
    out: Path | None,
    as_json: bool,
) -> int:
    """Exit code 1 if a stated order is refuted; without a problem ``on`` which to run, the row's
    first. The picture is drawn where a folder ``out`` is given, after the answer is printed."""
    with bad_input():
        at_least("n", n, 2)
        at_least("T", steps, 8)
        at_least("replicas", replicas, 4)
        if out is not None:
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
            from experiments.compare.two_variables import over_two

            maps = over_two(
                mine, lambda size: problem(problem_name, size), (variables[0], variables[1]), n=n,
                steps=steps, replicas=replicas, seed=seed, step=step,
            )  # fmt: skip
            return _shown(maps, out, _stem(key, problem_name, vary), as_json=as_json)
        (variable,) = variables
        found = sweep(
            mine, lambda size: problem(problem_name, size), variable, n=n, steps=steps,
            replicas=replicas, seed=seed, values=tuple(values), step=step,
        )  # fmt: skip
    steps_told = "a stepsize at each point" if step is None else str(step)
    description = f"seed {seed}, {replicas} replicas, {steps_told}"
    verdict = sweep_verdict(mine, found, problem_name, description, error)
    stem = _stem(key, problem_name, vary)
    if as_json:
        data = verdict.record() | {
            "variable": variable,
            "x": found.x.tolist(),
            "mean": found.samples.mean(axis=0).tolist(),
            "quantity": found.quantity,
            "files": [str(path) for path in _pictures(found, verdict, out, stem)],
        }
        dump(data)
    else:
        screen = console(False)
        screen.print(verdict_list((verdict,)), highlight=False)
        files_written(screen, _pictures(found, verdict, out, stem))
    return exit_code((verdict,))


def _stem(key: str, problem_name: str, vary: str) -> str:
    """Name of the pictures' files."""
    return re.sub(r"[^a-z0-9]+", "-", f"{key} {problem_name} rate {vary}".lower()).strip("-")


def _pictures(found: Sweep, verdict: Verdict, out: Path | None, stem: str) -> tuple[Path, ...]:
    """The points with the fitted law as files; none where no folder is given."""
    if out is None:
        return ()
    # what draws is a second of imports that only a picture needs
    from experiments.figures.rate import rate_figure
    from experiments.figures.style import save, styled
    from experiments.reporting.drawings import rate_curves

    with styled():
        return save(rate_figure(rate_curves(rate_panel(found, verdict))), out, stem)


def _heatmaps(maps: HeatMaps, out: Path | None, stem: str) -> tuple[Path, ...]:
    """The heat map of two variables as files; none where no folder is given."""
    if out is None:
        return ()
    from experiments.figures.heatmap import heatmap_figure
    from experiments.figures.style import save, styled

    with styled():
        return save(heatmap_figure(maps), out, stem)


def _shown(maps: HeatMaps, out: Path | None, stem: str, *, as_json: bool) -> int:
    """Numbers of the map of two variables, and its files."""
    (panel,) = maps.panels
    if as_json:
        dump({
            "title": maps.title, "quantity": maps.quantity, "x": maps.x_label, "y": maps.y_label,
            "x_values": list(maps.x), "y_values": list(maps.y), "error": panel.values.tolist(),
            "files": [str(path) for path in _heatmaps(maps, out, stem)],
        })  # fmt: skip
        return 0
    screen = console(False)
    heads = (escape(f"{maps.y_label}, by {maps.x_label}"), *map(escape, maps.x))
    lines = (
        (escape(value), *(number(error, 3) for error in line))
        for value, line in zip(maps.y, panel.values, strict=True)
    )
    print_table(screen, heads, lines, escape(f"{maps.title}: {maps.quantity}"))
    files_written(screen, _heatmaps(maps, out, stem))
    return 0

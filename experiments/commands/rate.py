"""``rateproof rate``: the exponent that a row shows in one variable, beside the stated one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from algorithms.catalogue import entry_called, problem, row
from algorithms.core.names import look_up
from algorithms.tuning.parameters import with_settings
from experiments.commands.console import (
    at_least,
    bad_input,
    console,
    dump,
    exit_code,
    print_note,
    verdict_list,
    writable,
)
from experiments.compare.tuned_rows import Tuning, read_settings, sweeping_step
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
        variable = look_up("variable", vary, {name: name for name in VARIABLES})
        mine = with_settings(row(key), read_settings(settings))
        problem_name = on or row(key).ready().problems[0]
        entry_called(problem_name)
        by = look_up("tuning", tuning, {one.value: one for one in Tuning})
        objective = problem(problem_name, n)
        mine.require_fit(objective)
        step = sweeping_step(mine, objective, steps, by, gamma, print_note)
        found = sweep(
            mine, lambda size: problem(problem_name, size), variable, n=n, steps=steps,
            replicas=replicas, seed=seed, values=tuple(values), step=step,
        )  # fmt: skip
    steps_told = "a stepsize at each point" if step is None else str(step)
    told = f"seed {seed}, {replicas} replicas, {steps_told}"
    verdict = sweep_verdict(mine, found, problem_name, told, error)
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

"""``rateproof rate``: the exponent that a row shows in one variable, beside the stated one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from algorithms.catalogue import entry_called, problem, row
from algorithms.names import look_up
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
from experiments.figures.rate import rate_figure
from experiments.figures.style import save, styled
from experiments.reporting.drawings import rate_curves
from experiments.tuned_rows import Tuning, read_settings, sweeping_step
from proofs_check.curves import RatePanel
from proofs_check.instruments.rates import fit_power
from proofs_check.instruments.study import fitted
from proofs_check.methods.sweep import VARIABLES, Sweep, sweep, sweep_verdict
from proofs_check.verdict import Verdict

_ANY_ERROR = 0.05  # the fitted line does not depend on it


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
        files = save(rate_figure(rate_curves(panel(found, verdict))), out, stem)
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


def panel(found: Sweep, verdict: Verdict) -> RatePanel:
    """The points with their band, the fitted power law if there is one, the stated order through
    their middle."""
    fit = None
    with suppress(ValueError):  # the verdict says why there is none
        fit = fit_power(found.x, found.samples, _ANY_ERROR)
    stated = np.full_like(found.x, np.nan)
    if verdict.bound is not None:  # then there was a fit, and means are positive
        level = np.exp(np.log(found.samples.mean(axis=0)).mean())
        centre = np.exp(np.log(found.x).mean())
        stated = level * (found.x / centre) ** verdict.bound
    series = fitted(found.x, found.samples, fit, stated)
    return RatePanel(verdict.claim, found.variable, found.quantity, series)

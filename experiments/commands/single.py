"""``rateproof run``: one row on one problem, its final numbers and its plot."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.markup import escape

from algorithms.catalogue import Row, problem, row
from algorithms.core.names import look_up
from algorithms.engine.replicas import HEAVY, LEVEL, centre
from algorithms.engine.run import Diverged
from algorithms.problems.base import Problem
from algorithms.tuning.parameters import parameters, shown_value
from experiments.commands.console import (
    at_least,
    bad_input,
    console,
    dump,
    files_written,
    interval_text,
    number,
    print_error,
    print_note,
    writable,
)
from experiments.commands.grid import print_table
from experiments.compare.clustered import OnCluster
from experiments.compare.device import usable_device
from experiments.compare.inapplicable_theorems import uncovered
from experiments.compare.single import Single, centre_of, run_single
from experiments.compare.tuned_rows import Tuning, chosen, positive, read_settings, usual
from proofs_check.methods.run_series import shown
from proofs_check.methods.tuned_run import VACUOUS, TunedRun


def run_command(
    key: str,
    on: str | None,
    *,
    n: int,
    steps: int,
    replicas: int,
    seed: int,
    gamma: float | None,
    out: Path,
    as_json: bool,
    tuning: str | None = None,
    settings: Sequence[str] = (),
    of_workers: bool = False,
    place: OnCluster | None = None,
    device: str = "cpu",
    spread: bool = False,
) -> int:
    """Exit code 1 if the run diverged; without a problem ``on`` which to run, the row's first, and
    without a ``tuning`` the row's usual one, with a theorem's run beside it."""
    with bad_input():
        for name, value, least in (
            ("n", n, 2),
            ("T", steps, 1),
            ("replicas", replicas, 1 + spread),
        ):
            at_least(name, value, least)
        usable_device(device)
        problem_name = on or row(key).ready().problems[0]
        mine, objective = _chosen(key, problem_name, n)
        writable(out)
        tunings = {one.value: one for one in Tuning}
        by = usual(mine) if tuning is None else look_up("tuning", tuning, tunings)
        if gamma is not None:
            positive(gamma, tuning)
        given = read_settings(settings)
        ready = chosen(
            mine, objective, by, seed=seed, gamma=gamma, settings=given, steps=steps,
            announce=print_note,
        )  # fmt: skip
        ready.tuned(objective, steps)  # refuses a stepsize that nobody takes
        both = tuning is None and gamma is None and by is Tuning.GRID
        reasons = uncovered(ready.row, objective, steps, ready.step)
        try:
            single = run_single(
                ready.row, objective, steps=steps, replicas=replicas, seed=seed, step=ready.step,
                place=place, proven=mine if both else None, of_workers=of_workers, device=device,
            )  # fmt: skip
        except Diverged as error:
            reached = int(error.trace.steps[-1])
            print_error(f"{error} (seed {seed}; the last record is that of step {reached})")
            return 1
    words = [key, problem_name, f"n{n}", f"T{steps}", f"seed{seed}"]
    words += [] if gamma is None else [f"gamma{gamma:g}"]
    words += [by.value] if by is Tuning.GRID and not both else []
    words += [f"{name}={value}" for name, value in given.items()]
    if place is not None and place.cluster:
        words += [Path(place.cluster).stem, *place[1:]]
    stem = re.sub(r"[^A-Za-z0-9.=_-]+", "-", "-".join(words))
    if as_json:
        description = ready.note or single.result.tuned.note or by.value
        files = _pictures(single, out, stem, spread)
        dump(_data(single, reasons, files) | {"tuning": description})
    else:
        _show(single, reasons, ready.note, given=ready.step is not None)
        files_written(console(False), _pictures(single, out, stem, spread))
    return 0


def _pictures(single: Single, out: Path, stem: str, spread: bool) -> tuple[Path, ...]:
    """The run as files, and ``spread``: how its replicas lie."""
    from experiments.figures.panels import three_panels
    from experiments.figures.style import save, styled  # half a second, behind the answer

    with styled():
        files: tuple[Path, ...] = save(three_panels(single.curves()), out, stem)
        if spread:
            files += save(single.replicas_figure(), out, f"{stem}-replicas")
    return files


def _chosen(key: str, problem_name: str, n: int) -> tuple[Row, Problem]:
    chosen, objective = row(key), problem(problem_name, n)
    chosen.require_fit(objective)
    return chosen, objective


def _data(single: Single, reasons: tuple[str, ...], files: tuple[Path, ...]) -> dict[str, Any]:
    trace, curves, tuned = single.result.trace, single.curves(), single.result.tuned
    return {
        "row": single.row.key,
        "method": trace.method,
        "problem": trace.problem,
        "n": single.problem.n,
        "d": single.problem.d,
        "steps": int(trace.steps[-1]),
        "replicas": int(trace.suboptimality.shape[0]),
        "seed": trace.seed,
        "time": single.timing.name,
        "stepsize": None if tuned.stepless else str(tuned.step),
        "theorem": single.theorem.name if single.theorem else None,
        "vacuous": single.result.vacuous,
        "parameters": {name: shown_value(one) for name, one in parameters(tuned.method).items()},
        "metric": single.series.quantity,
        "not_covered_by": list(reasons),
        "level": LEVEL,
        "centre": centre_of(single.heavy),
        "final": [asdict(q) | {"half_width": q.half_width} for q in single.quantities()],
        "curves": {
            "steps": curves.steps.tolist(),
            "mean": curves.mean.tolist(),
            "low": curves.low.tolist(),
            "high": curves.high.tolist(),
            "bits": curves.bits.tolist(),
            "seconds": None if curves.seconds is None else curves.seconds.tolist(),
            "bound": None if single.bound is None else single.bound.tolist(),
        },
        "files": [str(path) for path in files],
    }


def _show(single: Single, reasons: tuple[str, ...], note: str, *, given: bool) -> None:
    trace, curves, out = single.result.trace, single.curves(), console(False)
    title = f"{curves.title.replace('$', '')}, T = {trace.steps[-1]}, seed {trace.seed}"
    ends = f"{LEVEL:.0%}" if single.heavy else f"± ({LEVEL:.0%})"
    heads = ("at the end", centre_of(single.heavy), ends, "unit")
    lines = [
        (escape(q.name), number(q.mean, 5), interval_text(q.low, q.high, single.heavy), q.unit)
        for q in single.quantities()
    ]
    bound, last = single.bound, single.last()
    if bound is not None:
        ends = interval_text(last.low, last.high, single.heavy)
        lines += [(escape(last.name), number(last.mean, 5), ends, "")]
        lines += [("its bound", number(float(bound[-1]), 5), "", "")]
    print_table(out, heads, lines, escape(title))
    out.print(
        f"method: {escape(trace.method)}; {single.result.tuned.step_text}",
        highlight=False,
        soft_wrap=True,
    )
    if note:
        out.print(f"tuning: {escape(note)}", highlight=False, soft_wrap=True)
    out.print(f"seconds: {escape(single.timing.name)}", highlight=False, soft_wrap=True)
    mine = parameters(single.result.tuned.method)
    values = ", ".join(f"{name} = {shown_value(one)}" for name, one in mine.items())
    if values:
        description = f"parameters (--set NAME=VALUE): {values}"
        out.print(escape(description), highlight=False, soft_wrap=True)
    if single.theorem is not None:
        description = f"theorem: {single.theorem.title} ({single.theorem.source}){_vacuous(single)}"
    elif given:
        description = "theorem: none applies to this stepsize, and there is no bound"
    elif single.result.tuned.stepless:
        description = "theorem: none applies, and there is no bound"
    else:
        rule = single.result.tuned.note
        description = (
            f"theorem: none applies, and there is no bound; gamma = {rule}; --tuning grid does"
        )
    out.print(escape(description), highlight=False, soft_wrap=True)
    if single.proven is not None and single.proven.tuned.theorem is not None:
        name, end, its_bound = _end_of(single.proven)
        description = (
            f"beside it the run of its theorem (--tuning theorem), {name} {number(end)} at the end"
            f"{its_bound}: {single.proven.tuned.theorem.title}"
        )
        out.print(escape(description), highlight=False, soft_wrap=True)
    for reason in reasons:
        out.print(escape(f"not covered by {reason}"), highlight=False, soft_wrap=True)
    if single.heavy:
        out.print(f"errors: {HEAVY}", highlight=False, soft_wrap=True)
    if math.isnan(float(curves.low[-1])):
        description = "fewer than 6 replicas" if single.heavy else "one replica"
        out.print(f"{description}: no interval; --replicas 32 gives one", highlight=False)


def _end_of(result: TunedRun) -> tuple[str, float, str]:
    """Quantity shown of a run, its mean at the end, and the theorem's bound in words."""
    what = shown(result)
    bound = "" if what.bound is None else f", bound {number(float(what.bound[-1]))}"
    end = centre(what.samples[:, -1:], result.trace.heavy_tailed)
    return what.quantity, float(end[0]), bound


def _vacuous(single: Single) -> str:
    if not single.result.vacuous:
        return ""
    return (
        f"; {VACUOUS}, its stepsize may be far too cautious, and --tuning grid gives a "
        "practitioner's"
    )

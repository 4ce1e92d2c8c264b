"""``rateproof advise``: how to train a model on a cluster, and what that answer hangs on."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from rich.markup import escape

from algorithms.catalogue import problem
from algorithms.clusters.files import cluster_of
from experiments.advice.evidence import evidence_of
from experiments.advice.iterations import REPLICAS, RowSteps, candidates, steps_to_target
from experiments.advice.portfolios import (
    AdviceChange,
    Portfolio,
    flips,
    iteration_margins,
    portfolios,
)
from experiments.commands.console import (
    at_least,
    bad_input,
    console,
    dump,
    number,
    print_note,
    writable,
)
from experiments.commands.grid import print_table

_SHOWN = 5
_MOST_SIMULATED = 64


def advise_command(
    model: str, cluster_name: str, target: float, *, n: int | None, problem_name: str, steps: int,
    baseline: float | None, map_folder: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Exit code 1 if no row reaches the target."""
    with bad_input():
        if not 0 < target < 1:
            raise ValueError(f"target must lie in (0, 1): a share of the start, got {target}")
        at_least("T", steps, 1)
        cluster = cluster_of(cluster_name)
        workers = cluster.size if n is None else n
        at_least("n", workers, 2)
        cluster.placed(workers)
        cluster.step_times(model)
        if baseline is not None and not baseline > 0:
            raise ValueError(f"baseline must be positive steps, got baseline={baseline}")
        if map_folder is not None:
            writable(map_folder)
        on = problem(problem_name, min(workers, _MOST_SIMULATED))
        ways: list[RowSteps] = []
        keys, left_out = candidates(on)
        for key in keys:
            ways.append(steps_to_target(key, on, target, steps))
            told = portfolios(ways, cluster, model, workers, on, 1.0)
            print_note(_so_far(ways, len(keys), told))
        plain = ways[0]
        if baseline is not None and not math.isfinite(plain.steps):
            raise ValueError(
                f"T={steps} steps of {plain.key} do not reach target={target} on {on.name}, so "
                "that nothing is a share of its steps; a larger T would do"
            )
        scale = 1.0 if baseline is None else baseline / plain.steps
        found = portfolios(ways, cluster, model, workers, on, scale)
    reached = {one.way.key for one in found}
    missed = [way.key for way in ways if way.key not in reached]
    if not found:
        console(True).print(f"no row reaches target={target} on {on.name} in {steps} steps")
        return 1
    description = flips(found), iteration_margins(found)
    basis = _basis(on.name, on.n, target, plain, scale, baseline)
    files = [] if map_folder is None else _mapped(found, map_folder)
    if as_json:
        dump(_data(found, description, missed, left_out, basis) | {"files": files})
        return 0
    _show(found, description, missed, left_out, basis)
    for path in files:
        console(False).print(f"plot: {path}", highlight=False, soft_wrap=True, markup=False)
    return 0


def _mapped(found: tuple[Portfolio, ...], folder: Path) -> list[str]:
    """The map of the quickest method over bandwidth and start-ups, as files."""
    from experiments.advice.regions import advice_regions
    from experiments.figures.regions import regions_figure
    from experiments.figures.style import save, styled

    place = found[0].rounds
    stem = re.sub(r"[^a-z0-9]+", "-", f"advise {place.model} {place.cluster.name}".lower())
    with styled():
        return [str(path) for path in save(regions_figure(advice_regions(found)), folder, stem)]


def _so_far(ways: list[RowSteps], count: int, found: tuple[Portfolio, ...]) -> str:
    """The last method's steps, and the provisional answer."""
    last = ways[-1]
    reached = f"{last.steps:g} steps" if math.isfinite(last.steps) else "target not reached"
    words = f"[{len(ways)}/{count}] {last.key}: {reached}"
    if not found:
        return words
    return f"{words}; quickest so far {found[0].name}, {number(found[0].seconds)} s"


def _basis(
    name: str, n: int, target: float, plain: RowSteps, scale: float, baseline: float | None
) -> str:
    """Source of the step counts, stated with the answer."""
    real = (
        "its own steps are those that are timed: multiply all seconds by what your model needs more"
        if baseline is None
        else f"all steps are times {scale:.3g}, so that {plain.key} takes {baseline:g}"
    )
    return (
        f"steps are those to {target:g} of the start's error on {name} with {n} workers, each row "
        f"at the multiple of its grid's step that is there soonest, {REPLICAS} replicas; "
        f"{plain.key} takes {plain.steps:g} there; {real}. That the ratios of rows carry over to "
        "the model is an assumption: no model of this size is trained here"
    )


def _data(
    found: tuple[Portfolio, ...],
    description: tuple[tuple[AdviceChange, ...], tuple[AdviceChange, ...]],
    missed: list[str],
    left_out: dict[str, str],
    basis: str,
) -> dict[str, Any]:
    return {
        "basis": basis,
        "portfolios": [
            {
                "row": one.way.key, "architecture": one.architecture, "schedule": one.schedule,
                "method": one.way.description, "steps": one.way.steps * one.scale,
                "seconds": one.seconds, "bytes": one.bytes, "limit": list(one.limits()),
            }
            for one in listed(found)
        ],
        "flips": [one._asdict() for one in description[0]],
        "margins": [one._asdict() for one in description[1]],
        "not_reached": missed,
        "left_out": left_out,
        "evidence": [evidence_of(key).record() for key in _told_rows(found)],
        "assumed_coding": _assumed(found),
    }  # fmt: skip


def listed(found: tuple[Portfolio, ...]) -> list[Portfolio]:
    """The best portfolio and the runners-up, then the best of every other row."""
    rows, shown = {one.way.key for one in found[:_SHOWN]}, list(found[:_SHOWN])
    for one in found[_SHOWN:]:
        if one.way.key not in rows:
            rows.add(one.way.key)
            shown.append(one)
    return shown


def _told_rows(found: tuple[Portfolio, ...]) -> list[str]:
    """Rows that the answer names, the quickest first."""
    return list(dict.fromkeys(one.way.key for one in listed(found)))


def _assumed(found: tuple[Portfolio, ...]) -> list[str]:
    return [name for name, one in found[0].rounds.cluster.operators if not one.measured]


def _show(
    found: tuple[Portfolio, ...],
    description: tuple[tuple[AdviceChange, ...], tuple[AdviceChange, ...]],
    missed: list[str],
    left_out: dict[str, str],
    basis: str,
) -> None:
    best, out = found[0], console(False)
    place = best.rounds
    heads = ("method", "architecture", "schedule", "steps", "seconds", "GB a worker", "limited by")
    table = []
    for one in listed(found):
        limit, share = one.limits()
        table.append((
            one.way.key, one.architecture, one.schedule, number(one.way.steps * one.scale, 4),
            number(one.seconds, 4), number(one.bytes / 1e9, 3), f"{limit}: {share:.0%}",
        ))  # fmt: skip
    print_table(out, heads, table, f"{place.model} on {place.n} workers of {place.cluster.name}")
    lines = [f"best: {best.name} ({best.way.description})", basis]
    if not description[0]:
        lines.append("no other row is the quickest when one time is 10 times as long, or a tenth")
    lines += [
        f"{one.instead} instead, if {one.assumption} were {one.factor:.3g} times as many"
        for one in description[0]
    ]
    lines += [
        f"{one.assumption}: {one.factor:.3g} times as many as simulated, and {one.instead} is as "
        "quick"
        for one in description[1]
    ]
    lines += [f"evidence: {evidence_of(key)}" for key in _told_rows(found)]
    lines += [f"left out: {key}: {why}" for key, why in left_out.items()]
    if missed:
        lines.append(f"target not reached by {', '.join(missed)}")
    if assumed := _assumed(found):
        lines.append(f"coding times assumed, not measured: {', '.join(assumed)}")
    lines.append(f"cluster: {place.cluster.source}")
    for line in lines:
        out.print(escape(line), highlight=False, soft_wrap=True)

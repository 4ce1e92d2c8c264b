"""Speed of every row of the catalogue, beside plain SGD and beside numpy loops over workers.

    python -m benchmarks.rows [--only small,large,problems] [--rows qsgd,asp] [--quick] [--busy]
        [--out FILE]

A step of n workers is n worker-steps, a tick of an asynchronous row as many as gradients that it
computed. Every row takes turns with ``bsp-sgd`` on the same problem, and with the loop of
:mod:`benchmarks.programs.loops` that does the same by hand, where there is one. Of the ten slowest
a profile says why. ``--busy`` measures time of the thread in place of the clock's, for a machine
that does other work. Written to ``benchmarks/rows.json``, and from there to the tables of
``docs/performance.md`` and to ``docs/rows.png``; with ``--rows`` or ``--quick``, or of
further problems of the catalogue that ``--only`` names, only to ``--out``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import torch

from algorithms.catalogue import Row, entry_called, row
from algorithms.problems.base import Problem
from benchmarks import machine, rows_figure, rows_page
from benchmarks.page import rounded
from benchmarks.row_jobs import BASE, JOBS, RowJob, entrant, rows
from benchmarks.row_reasons import reason
from benchmarks.row_turns import SLOW, Line, Turns, measured

KEPT = Path(__file__).with_name("rows.json")
SLOWEST = 10
FULL, QUICK = Turns(0.05, 5), Turns(0.01, 3)
_PROFILED = 0.1  # seconds of steps [s] that a profile looks at


def lines_of(problem: Problem, which: list[Row], turns: Turns) -> list[Line]:
    """All lines of a job, printed as they come."""
    found = []
    for line in measured(problem, which, turns):
        found.append(line)
        print(told(line), flush=True)
    return found


def told(line: Line) -> str:
    """A line in words."""
    if line.speed is None:
        return f"{line.key:24s} {line.note}"
    parts = [f"{line.key:24s} {line.speed.median:11,.0f} worker-steps/s"]
    parts += [f"{1e6 * line.work / line.speed.median:9.1f} us/step"]
    parts += [f"{line.over.median:7.3f} of {BASE}"] if line.over else []
    parts += [f"{line.over_loop.median:6.2f} of its loop"] if line.over_loop else []
    parts += [f"on {line.on}"] if line.on else []
    return "  ".join([*parts, line.note])


def reasons(problem: Problem, lines: list[Line], count: int = SLOWEST) -> dict[str, str]:
    """Why the slowest rows are slow, by key."""
    timed = [(line.speed.median, line) for line in lines if line.speed and line.work]
    found = {}
    for speed, line in sorted(timed, key=lambda pair: pair[0])[:count]:
        each = line.work / speed
        steps = 1 if each > SLOW else max(2, round(_PROFILED / each))
        try:
            found[line.key] = reason(entrant(row(line.key), problem), steps).text
        except ArithmeticError as error:
            found[line.key] = f"not profiled: {error}"
        print(f"# slow: {line.key}: {found[line.key]}", flush=True)
    return found


def job(one: RowJob, which: list[Row], turns: Turns) -> dict[str, Any]:
    """All that is told of a job."""
    began, load = time.monotonic(), os.getloadavg()[0]
    print(f"# {one.title}, load {load:.1f}", flush=True)
    problem = one.make()
    lines = lines_of(problem, which, turns)
    found = {
        "title": one.title,
        "machine": machine.described(),
        "load": load,
        "busy": time.perf_counter is time.thread_time,
        "day": datetime.now(UTC).date().isoformat(),
        "lines": [line._asdict() for line in lines],
        "reasons": reasons(problem, lines),
    }
    took = time.monotonic() - began
    print(f"# {rows_page.summary(found)}; {took:.0f} s", flush=True)
    return found


def jobs(names: Sequence[str]) -> list[RowJob]:
    """Jobs by their names or those of their groups; further problems of the catalogue by theirs.

    Raises:
        ValueError: there is none of a name.
    """
    known = {name for one in JOBS for name in (one.group, one.name)}
    further = [RowJob(entry_called(name).name, "") for name in names if name not in known]
    return [*(one for one in JOBS if {one.group, one.name} & {*names}), *further]


def main() -> None:
    """Measure, write, and make tables and picture anew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="small,large,problems", help="or names of problems")
    parser.add_argument("--rows", default="", help="keys; default: all")
    parser.add_argument("--quick", action="store_true", help="short turns, three rounds")
    parser.add_argument("--busy", action="store_true", help="time of the thread, not the clock's")
    parser.add_argument("--out", type=Path, help="where results go; default: benchmarks/rows.json")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    which = rows(asked.rows.split(",") if asked.rows else ())
    chosen = jobs(asked.only.split(","))
    whole = not (asked.rows or asked.quick) and all(one in JOBS for one in chosen)
    target: Path | None = asked.out or (KEPT if whole else None)
    turns = QUICK if asked.quick else FULL
    clock = time.thread_time if asked.busy else time.perf_counter
    with mock.patch.object(time, "perf_counter", clock):
        kept = _measured(chosen, which, turns, target)
    if target == KEPT:
        rows_page.write(kept)
        rows_figure.write(kept)


def _measured(
    chosen: list[RowJob], which: list[Row], turns: Turns, target: Path | None
) -> dict[str, Any]:
    """All jobs that the target holds, those chosen measured anew and written one by one."""
    kept = json.loads(target.read_text()) if target and target.exists() else {}
    for one in chosen:
        kept[one.name] = rounded(job(one, which, turns))
        if target:
            jobs = ",\n".join(
                f"{json.dumps(name)}: {json.dumps(job)}" for name, job in kept.items()
            )
            target.write_text(f"{{\n{jobs}\n}}\n")
    return {one.name: kept[one.name] for one in JOBS if one.name in kept}


if __name__ == "__main__":
    main()

"""Speed of every row of the catalogue, in worker-steps a second and beside plain SGD.

    python -m benchmarks.rows [--only small,large,problems] [--rows qsgd,asp] [--quick]

A step of n workers is n worker-steps, a tick of an asynchronous row as many as gradients that it
computed. Every row takes turns with ``bsp-sgd`` on the same problem, in groups.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from typing import NamedTuple

import torch

from algorithms.catalogue import Row
from algorithms.problems.base import Problem
from benchmarks.alternating import Rounds, Spread
from benchmarks.row_jobs import BASE, Entrant, entrant, jobs, rows

GROUP = 6
"""Rows that share a turn of the base."""

SLOW = 1.0
"""Seconds of a step [s] above which a row is timed once, outside the rounds."""


class Sized(NamedTuple):
    """How many steps of a row make a turn.

    Attributes:
        each: seconds of a step [s], as found on the way.
        work: worker-steps of a step.
    """

    steps: int
    each: float
    work: float


class Line(NamedTuple):
    """What was found of a row on a job.

    Attributes:
        on: the problem, where it is not the job's.
        speed: worker-steps a second.
        over: speed over the base's, round by round.
        note: why there is no figure, or what is special about it.
    """

    key: str
    family: str
    on: str = ""
    steps: int = 0
    work: float = 0.0
    speed: Spread | None = None
    over: Spread | None = None
    note: str = ""


def sized(one: Entrant, turn: float) -> Sized:
    """Steps that take about ``turn`` seconds, found by longer and longer runs, whose first compile
    what there is to compile."""
    active, steps = one.active(), 1
    while True:
        trace = one.trace(steps)
        took = float(trace.wall_seconds[-1])
        if took > turn:  # something was compiled, or a step is long
            trace = one.trace(steps)
            took = min(took, float(trace.wall_seconds[-1]))
        if took >= turn / 4:
            break
        steps = int(steps * min(8.0, max(2.0, turn / 2 / max(took, 1e-6)))) + 1
    counted = float(trace.gradients[0, -1]) * one.problem.n / steps
    work = counted if counted == counted else float(active)
    return Sized(max(1, round(steps * turn / took)), took / steps, work)


def measured(problem: Problem, which: list[Row], turn: float, rounds: int) -> Iterator[Line]:
    """A line for every row on a problem, as they come."""
    base: dict[str, tuple[Entrant, Sized]] = {}
    for first in range(0, len(which), GROUP):
        ready: dict[str, tuple[Entrant, Sized]] = {}
        for row in which[first : first + GROUP]:
            found = _prepared(row, problem, turn)
            if isinstance(found, Line):
                yield found
            else:
                ready[row.key] = found
        base = base or {BASE: ready[BASE]}
        yield from _raced({**base, **ready}, ready, problem, turn, rounds)


def _prepared(row: Row, problem: Problem, turn: float) -> tuple[Entrant, Sized] | Line:
    """The row and its steps, or why it is not measured in turns."""
    try:
        one = entrant(row, problem)
        size = sized(one, turn)
    except Exception as error:
        return Line(row.key, row.family, note=f"{type(error).__name__}: {error}")
    if size.each > SLOW:
        speed = size.work / size.each
        spread, on = Spread(speed, speed, speed), _elsewhere(one, problem)
        return Line(
            row.key,
            row.family,
            on,
            1,
            size.work,
            spread,
            note=f"{size.each:.1f} s a step, timed once",
        )
    return one, size


def _raced(
    entered: dict[str, tuple[Entrant, Sized]], asked: dict[str, tuple[Entrant, Sized]],
    problem: Problem, turn: float, rounds: int,
) -> Iterator[Line]:  # fmt: skip
    steps = {key: size.steps for key, (_, size) in entered.items()}
    programs = {key: one.seconds for key, (one, _) in entered.items()}
    found = Rounds(programs, turn, rounds, steps)
    of_base = entered[BASE][1].work
    for key, (one, size) in asked.items():
        yield Line(
            key, one.row.family, _elsewhere(one, problem), size.steps, size.work,
            found.speed(key, size.work), found.ratio(BASE, key, size.work / of_base),
        )  # fmt: skip


def _elsewhere(one: Entrant, problem: Problem) -> str:
    return "" if one.problem is problem else one.problem.name


def told(line: Line) -> str:
    """A line in words."""
    if line.speed is None:
        return f"{line.key:24s} {line.note}"
    over = "" if line.over is None else f"{line.over.median:6.3f} of {BASE}"
    each = 1e6 * line.work / line.speed.median
    on = f" on {line.on}" if line.on else ""
    return (
        f"{line.key:24s} {line.speed.median:11,.0f} worker-steps/s  {over}  "
        f"{each:9.1f} us/step{on} {line.note}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="small,large,problems")
    parser.add_argument("--rows", default="", help="keys; default: all")
    parser.add_argument("--quick", action="store_true", help="short turns, three rounds")
    asked = parser.parse_args()
    turn, rounds = (0.02, 3) if asked.quick else (0.1, 5)
    torch.set_num_threads(1)
    which = rows([BASE, *asked.rows.split(",")] if asked.rows else ())
    for job in jobs(asked.only.split(",")):
        began = time.perf_counter()
        print(f"# {job.title}", flush=True)
        found = []
        for line in measured(job.make(), which, turn, rounds):
            found.append(line)
            print(told(line), flush=True)
        speeds = [line.speed.median for line in found if line.speed]
        cuts = statistics.quantiles(speeds, n=4) if len(speeds) > 1 else speeds
        print(
            f"# quartiles {', '.join(f'{cut:,.0f}' for cut in cuts)} worker-steps/s, "
            f"{time.perf_counter() - began:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()

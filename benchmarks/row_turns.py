"""All rows on one problem, in turns with plain SGD and with the numpy loop that does the same."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import NamedTuple

from algorithms.catalogue import Row, row
from algorithms.problems.base import Problem
from benchmarks.alternating import Program, Rounds, Spread, steps_in
from benchmarks.programs.loops.objectives import Objective
from benchmarks.programs.loops.reading import objective
from benchmarks.programs.loops.table import LOOPS, seconds
from benchmarks.row_jobs import BASE, HEAVY, Entrant, First, entrant, stepsize

GROUP = 6
"""Rows that share a turn of the base."""

SLOW, LONG, BUDGET = 1.0, 10.0, 60.0
"""Seconds of a step [s] above which a row is timed outside the rounds, and only once; of two steps,
what the first prepares included, above which it is not timed at all."""

_HAND = "{} by hand"


class Turns(NamedTuple):
    """How long turns are [s], and how often each program has one."""

    seconds: float
    rounds: int


class Line(NamedTuple):
    """What was found of a row on a job.

    Attributes:
        on: the problem, where it is not the job's.
        work: worker-steps of a step.
        speed: worker-steps a second; None: it was not measured.
        over: speed over the base's, round by round.
        loop: worker-steps a second of the numpy loop that does the same.
        over_loop: speed over that loop's, round by round.
        note: why there is no figure, or what is special about it.
    """

    key: str
    family: str
    on: str = ""
    work: float = 0.0
    speed: Spread | None = None
    over: Spread | None = None
    loop: Spread | None = None
    over_loop: Spread | None = None
    note: str = ""


class Ready(NamedTuple):
    """A row that knows how many steps make a turn.

    Attributes:
        each: seconds of a step [s], as found on the way.
        work: worker-steps of a step.
    """

    one: Entrant
    steps: int
    each: float
    work: float


def ready(one: Entrant, turn: float) -> Ready:
    """Steps that take about ``turn`` seconds, found by longer and longer runs, of which the first
    compile what there is to compile. A step that takes long is taken once.

    Raises:
        TimeoutError: two steps take longer than :data:`BUDGET`.
    """
    first, steps = _first(one), 1
    if first.seconds > LONG:
        return Ready(one, 1, first.seconds, first.work)
    while True:
        trace = one.trace(steps)
        took = float(trace.wall_seconds[-1])
        if turn < took < LONG:  # something was compiled, or a step is long
            took = min(took, one.seconds(steps))
        if took >= turn / 4:
            break
        steps = int(steps * min(8.0, max(2.0, turn / 2 / max(took, 1e-6)))) + 1
    counted = float(trace.gradients[0, -1]) * one.problem.n / steps
    work = counted if counted == counted else first.work
    return Ready(one, max(1, round(steps * turn / took)), took / steps, work)


def _first(one: Entrant) -> First:
    """The first step; on a large problem in a copy of this process, which can be stopped.

    Raises:
        TimeoutError: that and another take longer than :data:`BUDGET`.
    """
    if one.problem.n * one.problem.d < HEAVY:
        return _prompt(one)
    mine, theirs = multiprocessing.Pipe(duplex=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which do nothing here
        child = multiprocessing.get_context("fork").Process(target=_described, args=(one, theirs))
        child.start()
    theirs.close()
    try:
        if not mine.poll(BUDGET):
            raise TimeoutError(f"two steps take more than {BUDGET:.0f} s")
        first: First = mine.recv()
        return first if first.seconds > LONG else _prompt(one)
    except EOFError:
        return _prompt(one)  # which says what is wrong
    finally:
        child.kill()
        child.join()


def _prompt(one: Entrant) -> First:
    """The first step's figures; where it takes long, with the time of one that prepares nothing."""
    first = one.first()
    return first if first.seconds <= LONG else First(first.work, one.seconds(1))


def _described(one: Entrant, to: Connection) -> None:
    """Send the first step's figures to who waits for them, or nothing where it fails."""
    with suppress(Exception):
        to.send(_prompt(one))


def measured(job: Problem, which: list[Row], turns: Turns) -> Iterator[Line]:
    """A line for every row on a problem, as they come; rows that do not run there are measured
    where they do, beside the base on that problem."""
    by_problem: dict[str, list[Entrant]] = {job.name: []}
    for one in which:
        try:
            entered = entrant(one, job)
        except Exception as error:
            yield _failed(one, error)
            continue
        by_problem.setdefault(entered.problem.name, []).append(entered)
    for entrants in by_problem.values():
        yield from _on_one(entrants, job, turns)


def _on_one(entrants: list[Entrant], job: Problem, turns: Turns) -> Iterator[Line]:
    """Lines of rows that share a problem."""
    if not entrants:
        return
    problem = entrants[0].problem
    base, data = _base(problem, turns.seconds), objective(problem, stepsize(problem))
    for first in range(0, len(entrants), GROUP):
        group = []
        for one in entrants[first : first + GROUP]:
            found = _prepared(one, base, data, job, turns.seconds)
            if isinstance(found, Line):
                yield found
            else:
                group.append(found)
        if group:
            yield from _raced(base, group, data, job, turns)


def _base(problem: Problem, turn: float) -> Ready | None:
    """The base on a problem; None where it does not run."""
    one = entrant(row(BASE), problem)
    return ready(one, turn) if one.problem is problem else None


def _prepared(
    one: Entrant, base: Ready | None, data: Objective | None, job: Problem, turn: float
) -> Ready | Line:
    """The row and its steps, or a line where it is not measured in turns."""
    try:
        found = ready(one, turn)
    except Exception as error:
        return _failed(one.row, error)
    return found if found.each <= SLOW else _once(found, base, data, job)


def _once(slow: Ready, base: Ready | None, data: Objective | None, job: Problem) -> Line:
    """The line of a row that is timed once; after it come the base and its loop, once too."""
    key, speed = slow.one.row.key, slow.work / slow.each
    over = loop = ratio = None
    if base is not None:
        each = base.one.seconds(base.steps) / base.steps
        over = Spread.from_values([speed * each / base.work])
    if data is not None and key in LOOPS:
        by_hand = seconds(LOOPS[key], data, 1)
        loop, ratio = (
            Spread.from_values([slow.work / by_hand]),
            Spread.from_values([by_hand / slow.each]),
        )
    return Line(
        key, slow.one.row.family, _elsewhere(slow.one, job), slow.work,
        Spread.from_values([speed]), over,
        loop, ratio, f"{slow.each:.1f} s a step, timed once",
    )  # fmt: skip


def _failed(row: Row, error: Exception) -> Line:
    return Line(row.key, row.family, note=f"{type(error).__name__}: {error}")


def _raced(
    base: Ready | None, group: list[Ready], data: Objective | None, job: Problem, turns: Turns
) -> Iterator[Line]:
    """Lines of a few rows, the base and the loops of these rows, round by round."""
    entered = {one.one.row.key: one for one in ([base] if base else []) + group}
    programs: dict[str, Program] = {key: one.one.seconds for key, one in entered.items()}
    steps = {key: one.steps for key, one in entered.items()}
    for key in [one.one.row.key for one in group]:
        if data is not None and key in LOOPS:
            by_hand = partial(seconds, LOOPS[key], data)
            programs[_HAND.format(key)] = by_hand
            steps[_HAND.format(key)] = steps_in(by_hand, turns.seconds)
    found = Rounds(programs, turns.seconds, turns.rounds, steps)
    for one in group:
        yield _line(one, base, found, job)


def _line(one: Ready, base: Ready | None, found: Rounds, job: Problem) -> Line:
    key, hand = one.one.row.key, _HAND.format(one.one.row.key)
    over = found.ratio(BASE, key, one.work / base.work) if base else None
    looped = hand in found.times
    return Line(
        key, one.one.row.family, _elsewhere(one.one, job), one.work,
        found.speed(key, one.work), over,
        found.speed(hand, one.work) if looped else None,
        found.ratio(hand, key) if looped else None,
    )  # fmt: skip


def _elsewhere(one: Entrant, job: Problem) -> str:
    return "" if one.problem is job else one.problem.name

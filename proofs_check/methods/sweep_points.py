"""The places of a sweep: what makes a variable move, and its value there as theorems mean it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from algorithms.catalogue import Row
from algorithms.catalogue.row import Build
from algorithms.compressors.base import Compressor
from algorithms.methods.base import Method
from algorithms.methods.parts.constants import operator_constants
from algorithms.problems.base import Problem
from algorithms.synchronisation.barriers import Asynchronous, PartialBarrier
from algorithms.synchronisation.stale import SSP
from algorithms.topologies.base import Topology
from algorithms.topologies.gallery import gallery
from algorithms.tuning.parameters import row_parameters, with_values
from proofs_check.methods.tuned_run import TunedRun
from theory.constants import Constants
from theory.stepsizes import Stepsize

HORIZONS = 4  # runs behind a rate in T where the stepsize is tuned for each: T, T/2, T/4, T/8
SIZES = (2, 4, 8, 16, 32, 64)
BATCHES = (1, 2, 4, 8, 16, 32)
PERIODS = (1, 2, 4, 8, 16, 32)
BOUNDS = (0, 1, 2, 4, 8, 16)
SHARES = (0.05, 0.1, 0.2, 0.4, 0.8)
LEVELS = (1, 2, 4, 8, 16, 32)
FRACTIONS = (2, 4, 6, 8, 10)

Values = Sequence[float]


class SweepPoint(NamedTuple):
    """One place of a sweep.

    Attributes:
        row: the row there.
        problem: the problem there.
        steps: steps of its run.
        batch: base batches that a gradient averages.
        setting: the parameter that was moved, of a grid the points in a unit; None where a graph, a
            barrier or the problem was.
    """

    row: Row
    problem: Problem
    steps: int
    batch: int = 1
    setting: float | None = None


def points(
    row: Row, build: Callable[[int], Problem], variable: str, n: int, steps: int, values: Values
) -> Iterator[SweepPoint]:
    """The row and the problem at every place of ``variable``; arguments as of ``sweep.sweep``.

    Raises:
        ValueError: the row has nothing that moves the variable.
    """
    match variable:
        case "T":
            ladder = tuple(steps / 2**k for k in range(HORIZONS, -1, -1))
            for at in values or ladder:
                yield SweepPoint(row, build(n), max(1, round(at)))
        case "n":
            for at in values:
                yield SweepPoint(row, build(int(at)), steps)
            for size in () if values else SIZES:
                with suppress(ValueError):  # a problem that has too few samples for so many
                    yield SweepPoint(row, build(size), steps)
        case "batch":
            problem = build(n)
            for batch in values or BATCHES:
                yield SweepPoint(row, problem.enlarged(int(batch)), steps, int(batch))
        case "gap":
            yield from (SweepPoint(one, build(n), steps) for one in _graphs(row, build(n), steps))
        case "tau" if _waits_for_nobody(row, build(n), steps):
            for bound in values or BOUNDS:
                yield SweepPoint(put(row, Asynchronous, SSP(int(bound))), build(n), steps)
        case _:
            name, usual = _moved_by(row, build(n), variable, steps)
            for at in values or usual:
                set_to = int(at) if float(at).is_integer() else at
                one = with_values(row, {name: set_to})
                setting = 2.0**at if name == "compressor.fraction" else float(at)
                yield SweepPoint(one, build(n), steps, setting=setting)


_FINENESS = tuple(
    (f"{where}.{name}", ladder)
    for where in ("compressor", "gossip.compressor")
    for name, ladder in (("k", SHARES), ("s", LEVELS), ("inner.s", LEVELS), ("q", SHARES))
)
_MOVERS: dict[str, tuple[tuple[str, Values], ...]] = {
    "H": (("period", PERIODS),),
    "delta": _FINENESS,
    "s": (*_FINENESS, ("compressor.fraction", FRACTIONS)),
    "omega": (("compressor.s", LEVELS), ("compressor.k", SHARES), ("compressor.q", SHARES)),
    "tau": (("barrier.s", BOUNDS), ("barrier.tau", BOUNDS), ("tau", BOUNDS)),
}
"""Parameters that move a variable, those tried first ahead, with a ladder of values."""


def _moved_by(row: Row, problem: Problem, variable: str, steps: int) -> tuple[str, Values]:
    known = row_parameters(row, problem, steps)
    for name, ladder in _MOVERS[variable]:
        if known.get(name) is not None:
            whole = isinstance(known[name], int)
            return name, LEVELS if whole and ladder is SHARES else ladder
    raise ValueError(
        f"row {row.key!r} has no parameter that moves {variable} "
        f"({', '.join(name for name, _ in _MOVERS[variable])}); it has {', '.join(known) or 'none'}"
    )


def _graphs(row: Row, problem: Problem, steps: int) -> Iterator[Row]:
    """The row on every graph of the gallery that n workers can have and its method takes."""
    sample = row.build(problem, steps)
    if not any(isinstance(one, Topology) for one in parts_of(sample)):
        raise ValueError(f"row {row.key!r} has no mixing matrix, and no spectral gap to vary")
    for topology in gallery(problem.n):
        if topology.period == 1 and topology.n == problem.n:
            yield put(row, Topology, topology)


def _waits_for_nobody(row: Row, problem: Problem, steps: int) -> bool:
    """Whether its method has an asynchronous barrier, in whose place one of bounded staleness can
    stand."""
    return any(isinstance(one, Asynchronous) for one in parts_of(row.build(problem, steps)))


def put(row: Row, kind: type[Any], part: Any) -> Row:
    """The row with ``part`` in the place of every part of a ``kind``."""
    recipe = row.ready()

    def after(build: Build) -> Build:
        def built(step: Stepsize, objective: Problem, horizon: int) -> Method[Any]:
            placed: Method[Any] = _placed(build(step, objective, horizon), kind, part)
            return placed

        return built

    practice = recipe.practice and after(recipe.practice)
    return replace(row, recipe=replace(recipe, build=after(recipe.build), practice=practice))


def parts_of(node: Any) -> Iterator[Any]:
    """A method, or a part of one, and all parts in it, at every depth."""
    yield node
    if is_dataclass(node):
        for field in fields(node):
            yield from parts_of(getattr(node, field.name))


def _placed(node: Any, kind: type[Any], part: Any) -> Any:
    """The tree with everything of a ``kind`` in it replaced."""
    if isinstance(node, kind):
        return part
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {
        field.name: after
        for field in fields(node)
        if field.init
        and (after := _placed(getattr(node, field.name), kind, part))
        is not getattr(node, field.name)
    }
    return replace(node, **changed) if changed else node


def of_parts(method: Method[Any], d: int) -> Constants:
    """Constants stated by a method's topology, operator and period themselves.

    A method states of them only what a theorem may take, as CHOCO's rounds state no gap where H > 1
    because no theorem on gossip with compression knows both; a sweep asks where it is.
    """
    found = Constants()
    for one in parts_of(method):
        if isinstance(one, Topology):
            found = found.merge(one.constants())
        elif isinstance(one, Compressor):
            found = operator_constants(one, d).merge(found)  # of several the workers', the first
        elif isinstance(one, PartialBarrier):
            found = found.state(tau=one.tau)
    period = getattr(method, "period", None)
    return found.state(H=period) if isinstance(period, int) else found


def known_at(result: TunedRun, point: SweepPoint) -> Constants:
    """Constants of the run at a point, and those of its method's parts where it states none."""
    return of_parts(result.tuned.method, point.problem.d).merge(result.constants)


def value_at(variable: str, c: Constants, point: SweepPoint) -> float | None:
    """The variable at a point, as theorems mean it; None where it has none there."""
    match variable:
        case "T":
            return float(point.steps)
        case "n":
            return float(point.problem.n)
        case "gap":
            return None if c.lam is None or not c.lam < 1 else 1 - c.lam
        case "batch":
            return float(point.batch)
        case "s":
            return point.setting
    value = getattr(c, variable)
    return float(value) if value else None

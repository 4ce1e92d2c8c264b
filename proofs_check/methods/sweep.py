"""Sweep: a row's error along one variable, all else equal, and the exponent that it shows.

The variable is moved by what makes it: horizons for T, problems for n, batches of the problem, a
parameter of the method (its period for H, its operator's k or s for delta and omega, its barrier's
bound for tau), the graph for the gap. Its value at a point is read off the constants of the method
there, so that what is fitted is what theorems mean by the name. The stepsize is tuned at every
point, or the same at all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from algorithms.catalogue import Row
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.run import Diverged
from algorithms.topologies.base import Topology
from algorithms.topologies.gallery import gallery
from algorithms.tuning.grid import score
from algorithms.tuning.parameters import row_parameters, with_settings
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.methods.tuned_run import TunedRun, measured, tuned_run
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import InverseTimeStep, Stepsize
from theory.theorem import Metric, OrderOnly, Theorem

HORIZONS = 4  # runs behind a rate in T where the stepsize is tuned for each: T, T/2, T/4, T/8
SIZES = (2, 4, 8, 16, 32, 64)
BATCHES = (1, 2, 4, 8, 16, 32)
PERIODS = (1, 2, 4, 8, 16, 32)
BOUNDS = (0, 1, 2, 4, 8, 16)
SHARES = (0.05, 0.1, 0.2, 0.4, 0.8)
LEVELS = (1, 2, 4, 8, 16, 32)
_ALIKE = 1e-9  # values of a variable that differ by less are one point
_ERROR = "the error at the end"
VARIABLES = ("T", "n", "H", "gap", "delta", "omega", "tau", "batch")

Values = tuple[float, ...]


class SweepPoint(NamedTuple):
    """One place of a sweep.

    Attributes:
        row: the row there.
        problem: the problem there.
        steps: steps of its run.
        batch: base batches that a gradient averages.
    """

    row: Row
    problem: Problem
    steps: int
    batch: int = 1


class Sweep(NamedTuple):
    """What was measured.

    Attributes:
        variable: what was moved.
        x: its values, rising ``[K]``.
        samples: the error at the end of each run ``[R, K]``.
        quantity: what the error is.
        theorem: the theorem that tuned all runs, None where there is none, or several.
        told: how the variable was moved, and what was left out.
    """

    variable: str
    x: Floats
    samples: Floats
    quantity: str
    theorem: Theorem | None
    told: str


def horizons(
    row: Row, problem: Problem, played: TunedRun, metric: Metric, replicas: int, seed: int
) -> tuple[Floats, Floats]:
    """Horizons ``[K]`` and the metric there ``[R, K]``: along one curve where the stepsize is
    anytime, else over runs each tuned for itself."""
    series = measured(played.trace, metric)
    assert series is not None
    if isinstance(played.tuned.step, InverseTimeStep):
        times = played.trace.steps.astype(np.float64)
        tail = times >= played.steps / 8
        return times[tail], series[:, tail]
    shorter = [
        tuned_run(row, problem, played.steps >> k, replicas, seed + k, points=2)
        for k in range(HORIZONS - 1, 0, -1)
    ]
    runs = (*shorter, played)
    ends = [measured(one.trace, metric) for one in runs]
    lengths = np.array([float(one.steps) for one in runs])
    return lengths, np.stack([end[:, -1] for end in ends if end is not None], axis=1)


def sweep(
    row: Row,
    build: Callable[[int], Problem],
    variable: str,
    *,
    n: int = 16,
    steps: int = 1000,
    replicas: int = 32,
    seed: int = 1,
    values: Values = (),
    step: Stepsize | None = None,
) -> Sweep:
    """The row's error along ``variable``, one of :data:`VARIABLES`; ``build(n)`` makes the problem.

    ``values`` are what is set at each point (steps, workers, periods, shares of coordinates,
    levels, bounds of staleness, factors of the batch); by default a ladder that suits. ``step`` is
    the stepsize at all points, else each is tuned.

    Raises:
        ValueError: the row has nothing that moves the variable, or fewer than three points give a
            value and a finite error.
    """
    points = tuple(_points(row, build, variable, n, steps, values))
    found: dict[float, TunedRun] = {}
    left_out: list[str] = []
    for point in points:
        try:
            played = tuned_run(
                point.row, point.problem, point.steps, replicas, seed, step, points=2
            )
        except (Diverged, ValueError) as error:
            left_out.append(str(error))
            continue
        at = _value(variable, played.constants, point)
        if at is not None and not any(abs(at - known) <= _ALIKE * abs(at) for known in found):
            found[at] = played
    if len(found) < 3:
        because = f": {left_out[0]}" if left_out else ""
        raise ValueError(
            f"row {row.key!r} on {build(n).name} has {len(found)} points in {variable}, a rate "
            f"needs 3{because}; other values, or another row, would do"
        )
    x = np.array(sorted(found))
    told = f"{variable} from {x[0]:.4g} to {x[-1]:.4g}, {len(x)} points"
    if left_out:
        told += f"; {len(left_out)} left out ({left_out[0]})"
    theorem, series = _one_theorem([found[at] for at in x])
    quantity = theorem.metric.value if theorem else _ERROR
    return Sweep(variable, x, np.stack([y[:, -1] for y in series], axis=1), quantity, theorem, told)


def _one_theorem(runs: Sequence[TunedRun]) -> tuple[Theorem | None, list[Floats]]:
    """The theorem that speaks of all runs with what it bounds; else None, and their errors."""
    theorem = runs[0].tuned.theorem
    if theorem is not None and all(one.tuned.theorem is theorem for one in runs):
        series = [measured(one.trace, theorem.metric) for one in runs]
        known = [y for y in series if y is not None]
        if len(known) == len(runs):
            return theorem, known
    return None, [score(one.trace) for one in runs]


def sweep_verdict(
    row: Row, found: Sweep, problem: str, provenance: str = "", alpha: float = TEST_ERROR
) -> Verdict:
    """The fitted exponent against the order that theory states in the variable.

    An order of the theorem that tuned all points is held to (one-sided, two-sided where it is
    attained); one whose constants are not known for certain, or is of another stepsize, is
    compared. Where nobody states one, the exponent stands alone. ``alpha`` is the error of the
    interval.
    """
    claim = f"{found.quantity} as a power of {found.variable}"
    try:
        fit = fit_power(found.x, found.samples, alpha)
    except ValueError as error:
        return Verdict(
            subject=row.key, problem=problem, check=f"rate in {found.variable}", claim=claim,
            outcome=Outcome.COMPARED, evidence=f"{error}; {found.told}", provenance=provenance,
        )  # fmt: skip
    stated = _stated(row, found)
    if stated is None:
        return Verdict(
            subject=row.key, problem=problem, check=f"rate in {found.variable}", claim=claim,
            outcome=Outcome.NOT_APPLICABLE, statistic=fit.slope, uncertainty=fit.half_width,
            resolution=fit.resolution,
            evidence=f"exponent of {found.variable} {fit.slope:.4f} +- {fit.half_width:.4f}; no "
            f"result of this row states an order in {found.variable}; {found.told}",
            provenance=provenance,
        )  # fmt: skip
    power, name, asserted, tight = stated
    verdict = rate_verdict(
        fit, power, tight, subject=row.key, problem=problem, variable=found.variable,
        claim=f"{claim}: exponent {'=' if tight else '<='} {power:g} ({name})",
        provenance=f"{provenance}, error {alpha:g}",
    )  # fmt: skip
    outcome = verdict.outcome if asserted else Outcome.COMPARED
    return replace(
        verdict, outcome=outcome, theorem=name, evidence=f"{verdict.evidence}; {found.told}"
    )


class StatedOrder(NamedTuple):
    """An order in one variable.

    Attributes:
        power: the exponent.
        name: the result that states it.
        asserted: whether a sweep is held to it, or only compared.
        tight: whether it is attained.
    """

    power: float
    name: str
    asserted: bool
    tight: bool


def _stated(row: Row, found: Sweep) -> StatedOrder | None:
    variable = found.variable
    if found.theorem is not None and variable in found.theorem.order.exponents:
        one = found.theorem
        power = float(one.order.exponents[variable])
        return StatedOrder(power, one.name, one.confidence.assertable, one.tight)
    for result in (*row.theorems, *row.results):
        order = result.order if isinstance(result, (Theorem, OrderOnly)) else None
        if order is not None and variable in order.exponents:
            return StatedOrder(float(order.exponents[variable]), result.name, False, False)
    return None


def _points(
    row: Row, build: Callable[[int], Problem], variable: str, n: int, steps: int, values: Values
) -> Iterator[SweepPoint]:
    match variable:
        case "T":
            ladder = tuple(steps / 2**k for k in range(HORIZONS, -1, -1))
            for at in values or ladder:
                yield SweepPoint(row, build(n), max(1, round(at)))
        case "n":
            for at in values or SIZES:
                yield SweepPoint(row, build(int(at)), steps)
        case "batch":
            problem = build(n)
            for at in values or BATCHES:
                yield SweepPoint(row, problem.enlarged(int(at)), steps, int(at))
        case "gap":
            yield from (SweepPoint(one, build(n), steps) for one in _graphs(row, build(n), steps))
        case _:
            name, ladder = _moved_by(row, build(n), variable, steps)
            for at in values or ladder:
                whole = float(at).is_integer()
                yield SweepPoint(
                    with_settings(row, {name: int(at) if whole else at}), build(n), steps
                )


_MOVERS: dict[str, tuple[tuple[str, Values], ...]] = {
    "H": (("period", PERIODS),),
    "delta": (("compressor.k", SHARES), ("compressor.s", LEVELS)),
    "omega": (("compressor.s", LEVELS), ("compressor.k", SHARES), ("compressor.q", SHARES)),
    "tau": (("barrier.s", BOUNDS), ("barrier.tau", BOUNDS), ("tau", BOUNDS)),
}
"""Parameters that move a variable, those tried first ahead, with a ladder of values."""


def _moved_by(row: Row, problem: Problem, variable: str, steps: int) -> tuple[str, Values]:
    known = row_parameters(row, problem, steps)
    for name, ladder in _MOVERS[variable]:
        if name in known:
            return name, ladder
    raise ValueError(
        f"row {row.key!r} has no parameter that moves {variable} "
        f"({', '.join(name for name, _ in _MOVERS[variable])}); it has {', '.join(known) or 'none'}"
    )


def _graphs(row: Row, problem: Problem, steps: int) -> Iterator[Row]:
    """The row on every graph of the gallery that n workers can have and its method takes."""
    recipe = row.ready()
    sample = row.build(problem, steps)
    if not any(isinstance(one, Topology) for one in _nodes(sample)):
        raise ValueError(f"row {row.key!r} has no mixing matrix, and no spectral gap to vary")
    for topology in gallery(problem.n):
        if topology.period > 1 or topology.n != problem.n:
            continue

        def built(
            step: Stepsize, objective: Problem, horizon: int, graph: Topology = topology
        ) -> Method[Any]:
            placed: Method[Any] = _placed(recipe.build(step, objective, horizon), graph)
            return placed

        yield replace(row, recipe=replace(recipe, build=built))


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    if is_dataclass(node):
        for field in fields(node):
            yield from _nodes(getattr(node, field.name))


def _placed(node: Any, graph: Topology) -> Any:
    """The tree with every topology in it replaced."""
    if isinstance(node, Topology):
        return graph
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {
        field.name: after
        for field in fields(node)
        if field.init
        and (after := _placed(getattr(node, field.name), graph)) is not getattr(node, field.name)
    }
    return replace(node, **changed) if changed else node


def _value(variable: str, c: Constants, point: SweepPoint) -> float | None:
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
    value = getattr(c, variable)
    return float(value) if value else None

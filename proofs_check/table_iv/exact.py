"""Exponents of a cell by exact moments on a small quadratic, at horizons where bounds settle.

The method's own code gives the recursion of its moments (:mod:`proofs_check.moments`). A quadratic
is smooth, so what is said of non-convex functions holds of it. Steps of a size that does not change
are taken to a million by squaring; decreasing ones and schedules one by one. Schedules are those of
workers whose compute times come again after a few gradients.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import numpy as np

from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.base import ComputeTimes
from algorithms.topologies.base import Topology
from algorithms.topologies.hypercube import Hypercube
from proofs_check.methods.order_places import copied
from proofs_check.methods.sweep_orders import bound_exponent
from proofs_check.methods.sweep_points import SweepPoint, of_parts, points, put, value_at
from proofs_check.methods.tuned_run import measured_name
from proofs_check.moments.engine import ExactCurve, exact_moments
from proofs_check.table_iv.cyclic_times import CyclicTimes
from proofs_check.table_iv.formulas import FormulaExponent, FormulaPoint, formula_exponent
from proofs_check.table_iv.trial import METRICS, TableTrial
from theory.arrays import Floats
from theory.constants import Constants, MissingConstants
from theory.stepsizes import InverseTimeStep, Stepsize
from theory.survey.classification import Objective
from theory.theorem import Metric, Theorem

_D, _COPIED = 2, 2
_CYCLE = 2  # gradients of a worker after which its compute times come again
_SQUARED = (2**22, 2**26, 2**30)  # horizons of steps that do not change
_STEPPED = (2**12, 2**14, 2**16)  # of those that must be taken one by one
_LATE = (2**9, 2**11, 2**13)  # of schedules, which are drawn to the end
_SIZES, _FEW = (2, 4, 8, 16), (2, 4, 8)
_LADDERS = {"H": (1, 2, 4, 8), "tau": (0, 1, 2, 4)}
_APART = 2.0  # factor between neighbouring values of a variable
_LEAST = 0.002  # half-width: what is left of terms of a lower order is not known better


class _ExactRun(NamedTuple):
    """A run's expectations after each of ``due`` steps, with what is known of it."""

    place: SweepPoint
    constants: Constants
    step: Stepsize
    theorem: Theorem | None
    due: tuple[int, ...]
    curve: ExactCurve
    method: str

    def formula_points(self) -> list[FormulaPoint]:
        return [FormulaPoint(self.constants, self.place.problem, self.step, t) for t in self.due]


@final
@dataclass(frozen=True)
class ExactExponent:
    """An exponent without noise.

    Attributes:
        x: values of the variable, rising ``[K]``; T + a in convex cells.
        values: the metric there ``[K]``.
        slope: in T that between the last two points, else that over all points.
        half_width: in T by how much the slope before it differs (terms of a lower order lose half
            or more of their share from one horizon to the next), else by how much any two
            neighbouring points do.
        metric: what was measured.
        theorem: the theorem that covers all runs, or None.
        formula: the exponent of the bound of the cell's result where the slope was read.
        description: how the variable was moved, on what, in words.
        instance: the problem of the last run and what it states.
    """

    x: Floats
    values: Floats
    slope: float
    half_width: float
    metric: Metric
    theorem: Theorem | None
    formula: FormulaExponent | None
    description: str
    instance: str


def runs_exactly(trial: TableTrial, variable: str) -> bool:
    """Whether an exponent is looked for by exact moments.

    Operators that a cell of Table IV has are not linear, or their choices on a schedule are too
    many; schedules take a probe for each of a period's ticks, and are followed in T alone.
    """
    return not trial.row.operators and (variable == "T" or not trial.scheduled)


def exact_exponent(
    trial: TableTrial, variable: str, seed: int = 0, longer: int = 1
) -> ExactExponent:
    """The exponent of ``variable`` in a cell; horizons ``longer`` times as long.

    Raises:
        NotLinear: the cell's method has no exact moments.
        ValueError: nothing moves the variable, or fewer than three values are left.
    """
    runs = _runs(trial, variable, seed, longer)
    theorem = _covering(runs)
    metric = theorem.metric if theorem else METRICS[trial.objective]
    name = measured_name(metric)
    assert name is not None
    series = {key: one.curve.metric(name) for key, one in runs.items()}
    along = len(runs) == 1
    if along:
        (one,) = runs.values()
        step = one.step
        assert isinstance(step, InverseTimeStep)
        x, values = np.array(one.due) + step.shift, series[0.0]
        at = one.formula_points()
    else:
        x = np.array(sorted(runs))
        values = np.array([series[key][-1] for key in x])
        at = [runs[key].formula_points()[-1] for key in x]
    last = next(reversed(runs.values()))
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise ValueError(f"the error is no positive number at some of {variable} = {x.tolist()}")
    local = np.diff(np.log(values)) / np.diff(np.log(x))
    if variable == "T":
        slope, half = float(local[-1]), abs(float(local[-1] - local[-2]))
        x_of_slope, of_slope = x[-2:], at[-2:]
    else:
        slope = bound_exponent(x, values)
        half = float(np.abs(local - slope).max())
        x_of_slope, of_slope = x, at
    formula = formula_exponent((trial.result, *trial.also), x_of_slope, of_slope)
    description = (
        f"{variable}{' + a' if along else ''} from {x[0]:.4g} to {x[-1]:.4g}, longest run "
        f"{last.due[-1]} steps, {last.method}"
    )
    return ExactExponent(
        x, values, slope, max(half, _LEAST), metric, theorem, formula, description,
        instance_of(last.place.problem, last.constants),
    )  # fmt: skip


def instance_of(problem: Problem, c: Constants) -> str:
    """A problem and the constants that say how hard it is, in words."""
    named = ("n", "d", "L", "L_max", "mu", "sigma2", "zeta2", "zeta2_star", "R2")
    known = {name: getattr(c, name) for name in named}
    description = ", ".join(
        f"{name} = {value:.4g}" for name, value in known.items() if value is not None
    )
    return f"{problem.name}: {description}"


def _runs(trial: TableTrial, variable: str, seed: int, longer: int) -> dict[float, _ExactRun]:
    convex = trial.objective is Objective.CONVEX
    horizons = [
        longer * t for t in (_LATE if trial.scheduled else _STEPPED if convex else _SQUARED)
    ]
    trial = _coming_again(trial, seed)
    if variable == "T" and convex:
        place = SweepPoint(trial.row, small(trial, trial.n), horizons[-1])
        return {0.0: _run(trial, place, tuple(horizons))}
    if variable == "n":
        trial = trial.of_sizes()
    chosen = horizons if variable == "T" else horizons[-1:]
    found = {at: _run(trial, place, (place.steps,))
             for at, place in apart(variable, _places(trial, variable, chosen))}  # fmt: skip
    if len(found) < 3:
        raise ValueError(f"{len(found)} values of {variable} give a finite error, a rate needs 3")
    return found


def apart(variable: str, places: Iterable[SweepPoint]) -> list[tuple[float, SweepPoint]]:
    """Places with their values, rising, each at least twice the one before."""
    known: dict[float, SweepPoint] = {}
    for place in places:
        with suppress(ValueError):  # a graph or a setting that the method does not take
            method = place.row.build(place.problem, place.steps)
            c = of_parts(method, place.problem.d).merge(method.constants(place.problem))
            at = value_at(variable, c, place)
            if at is not None:
                known.setdefault(at, place)
    kept: list[tuple[float, SweepPoint]] = []
    for at in sorted(known):
        if not kept or at >= _APART * kept[-1][0] * (1 - 1e-9):
            kept.append((at, known[at]))
    return kept


def _places(trial: TableTrial, variable: str, horizons: Sequence[int]) -> Iterator[SweepPoint]:
    row = trial.row
    if variable == "T":
        for steps in horizons:
            yield SweepPoint(row, small(trial, trial.n), steps)
    elif variable == "n":
        base = small(trial, _COPIED)
        few = trial.scheduled or trial.objective is Objective.CONVEX
        for n in _FEW if few else _SIZES:
            one = put(row, Topology, Hypercube(n)) if trial.gossips else row
            yield SweepPoint(one, copied(base, n // _COPIED), horizons[-1])
    else:
        values = _LADDERS.get(variable, ())
        n = trial.n if variable != "gap" else max(trial.n, _SIZES[2])
        yield from points(row, lambda n: small(trial, n), variable, n, horizons[-1], values)


def _coming_again(trial: TableTrial, seed: int) -> TableTrial:
    """The trial with a schedule that comes again, where it has one."""
    if not trial.scheduled:
        return trial
    row = put(trial.row, ComputeTimes, CyclicTimes(_CYCLE, seed))
    build = row.ready().build

    def built(step: Stepsize, problem: Problem, steps: int) -> Any:
        return replace(build(step, problem, steps), replicas=1)  # type: ignore[type-var]

    return replace(trial, row=replace(row, recipe=replace(row.ready(), build=built)))


def small(trial: TableTrial, n: int) -> Quadratic:
    """The quadratic of a cell in few dimensions: with Hessians of the workers' own where local
    steps or gossip would show nothing else; one objective for all in non-convex asynchronous cells,
    whose theorems ask for it."""
    if trial.drifts:
        return unequal(n, _D)
    late = trial.scheduled and trial.objective is Objective.NONCONVEX
    return Quadratic.strongly_convex(n, _D, zeta2=0.0 if late or n < 2 else 1.0)


def _run(trial: TableTrial, place: SweepPoint, due: tuple[int, ...]) -> _ExactRun:
    problem = place.problem
    assert isinstance(problem, Quadratic)
    step = trial.rule(problem, due[-1])
    tuned = place.row.tune(problem, due[-1], step)
    constants = tuned.method.constants(problem).completed()
    theorem = _speaks(trial, constants, step, due[-1])

    def weight(t: int) -> float:
        assert theorem is not None
        return theorem.weight(constants, step, t)

    weighted = theorem is not None and theorem.metric is Metric.WEIGHTED_SUBOPTIMALITY
    curve = exact_moments(tuned.method, problem, due, weight=weight if weighted else None)
    known = of_parts(tuned.method, problem.d).merge(constants)
    return _ExactRun(place, known, step, theorem, due, curve, tuned.method.name)


def _speaks(trial: TableTrial, c: Constants, step: Stepsize, steps: int) -> Theorem | None:
    """The cell's theorem, where it applies and its metric is measured."""
    for result in (trial.result, *trial.also):
        if isinstance(result, Theorem) and measured_name(result.metric):
            with suppress(MissingConstants, TypeError):
                if result.applies(c, step, steps):
                    return result
    return None


def _covering(runs: dict[float, _ExactRun]) -> Theorem | None:
    """The theorem that covers every run with what the trial's cell is about, else None."""
    first = next(iter(runs.values())).theorem
    same_theorem = all(one.theorem is first for one in runs.values())
    return first if same_theorem else None

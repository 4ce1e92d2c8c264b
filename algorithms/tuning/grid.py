"""The practitioner's tuning: the best of a stated grid, by a stated budget of short runs.

A theorem's stepsize is proved and often cautious by orders of magnitude; papers compare methods at
the best stepsize of a grid. Here the stepsize runs over powers of two times 1/L, and then, at the
best one and its neighbours, each parameter that papers tune beside it (:data:`BESIDE`) over values
of its own. What is best is decided on runs of another seed than any comparison uses.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, final

from algorithms.catalogue.row import Row
from algorithms.catalogue.tuned import Tuned
from algorithms.compressors.requirements import OutOfRange
from algorithms.engine.replicas import centre
from algorithms.engine.run import Diverged, run
from algorithms.engine.trace import Trace, only_agrees
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.synchronisation.worker_states import WorkerLost
from algorithms.tuning.parameters import row_parameters, with_values
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

SEED = 1_000_003
"""Seed of all runs that a tuning rests on; comparisons refuse it."""

POWERS = tuple(range(-7, 3))
"""The stepsizes tried: 2^p / L for these p, L the largest smoothness of a worker."""

_WIDER, _FARTHEST = 3, 16  # powers more at an end of the grid that is the best; where that stops

BESIDE: dict[str, tuple[float, ...]] = {
    "consensus_step": (0.02, 0.05, 0.1, 0.2, 0.4, 0.8),
    "correction.lam": (0.04, 0.5, 2.0, 8.0),
    "alpha": (0.01, 0.05, 0.1, 0.3),
    "optimizer.m": (0.0, 0.5, 0.9),
    "memory.m": (0.0, 0.5, 0.9),
}
"""Parameters that are tuned beside the stepsize where a method has them, and their values."""

_PILOT = 64  # steps from which gradients a step are read
_NO_SMOOTHNESS = 1.0  # L where none is stated: the grid is then in powers of two


class SearchBudget(Protocol):
    """Runs by which a search decides."""

    @property
    def replicas(self) -> int:
        """Independent runs at each place of the grid."""
        ...

    def steps(self, row: Row, problem: Problem) -> int:
        """Steps of the row's method in such a run."""
        ...


@final
@dataclass(frozen=True)
class Budget:
    """Runs that decide, equal in the gradients that a worker computes as far as they go.

    Attributes:
        n: number of workers.
        gradients: of each worker.
        replicas: independent runs.
        most_steps: that a run may take, where a step is less than a gradient of every worker.
    """

    n: int = 16
    gradients: int = 500
    replicas: int = 4
    most_steps: int = 2000

    def steps(self, row: Row, problem: Problem) -> int:
        """Steps of the row's method in which each worker computes its gradients; the most where
        steps are shares of a layer's length, which add up over a run whatever the gradients: what
        is best over few of them runs away over many.
        """
        if row.ready().relative_move:
            return self.most_steps
        method = row.build(problem, _PILOT)
        trace = run(method, problem, steps=_PILOT, seed=SEED, points=2, timing=STANDARD)
        each = float(trace.gradients[0, -1]) / _PILOT
        return max(1, min(self.most_steps, round(self.gradients / (each if each > 0 else 1.0))))


class Candidate(NamedTuple):
    """A place on the grid.

    Attributes:
        power: the stepsize is 2^power / L; None for a method without one.
        settings: parameters beside it.
    """

    power: int | None
    settings: tuple[tuple[str, float], ...] = ()


@final
@dataclass(frozen=True)
class Best:
    """Result of the search.

    Attributes:
        method: the name of the row's method, by which a change of its recipe is seen.
        power: the stepsize is 2^power / L; None for a method without one.
        settings: parameters beside it.
        score: mean of :func:`score` (median where tails are heavy), for a network of its loss, at
            the end of the runs of the best.
        places: how many places of the grid were tried.
    """

    method: str
    power: int | None
    settings: dict[str, float]
    score: float
    places: int

    def step(self, problem: Problem) -> ConstantStep | None:
        """The stepsize on a problem, of any number of workers."""
        return None if self.power is None else ConstantStep(2.0**self.power / smoothness(problem))

    def row(self, row: Row) -> Row:
        """The row with the parameters that were found."""
        return with_values(row, dict(self.settings))

    def tuned(self, row: Row, problem: Problem, steps: int) -> Tuned:
        """The row's method for so many steps, with the stepsize and parameters that were found.

        Raises:
            ValueError: the row is planned.
        """
        return self.row(row).tune(problem, steps, self.step(problem))

    @property
    def description(self) -> str:
        """Tuning in words: how many places were tried, and the parameters found."""
        found = ", ".join(f"{name} = {value:g}" for name, value in self.settings.items())
        return f"best of {self.places} places of a grid" + (f": {found}" if found else "")


def score(trace: Trace) -> Floats:
    """Quantity to minimise ``[R, K]``: f - f* where f* is known, else ||grad f||^2; the distance
    from agreement where the mean model is the minimiser from the start."""
    if only_agrees(trace.squared_gradient, trace.consensus):
        return trace.consensus
    return trace.suboptimality if trace.f_star_known else trace.squared_gradient


def scored(trace: Trace) -> str:
    """Quantity of :func:`score`, as a formula."""
    if only_agrees(trace.squared_gradient, trace.consensus):
        return "(1/n) sum ||x_i - xbar||^2"
    return "f(x) - f*" if trace.f_star_known else "||grad f(x)||^2"


def smoothness(problem: Problem) -> float:
    """L of the grid: the largest of any worker, else of the mean, else 1."""
    c = problem.constants()
    return c.L_max or c.L or _NO_SMOOTHNESS


def search(row: Row, problem: Problem, budget: SearchBudget = Budget()) -> Best:
    """The best place of the grid on a problem, by runs of a ``budget``; that of the tunings that
    are kept is of problems made for ``Budget().n`` workers.

    Raises:
        ValueError: the row is planned, or no place of the grid gives a finite score.
    """
    steps = budget.steps(row, problem)
    stepless = row.tune(problem, steps).stepless
    tried: dict[Candidate, float] = {}

    def measure(one: Candidate) -> float:
        if one not in tried:
            tried[one] = _measured(row, problem, one, steps, budget.replicas)
        return tried[one]

    best = min((Candidate(power) for power in ((None,) if stepless else POWERS)), key=measure)
    while wider := _beyond(best.power, tried):
        best = min((best, *wider), key=measure)
    for name, values in _beside(row, problem):
        near = _near(best.power)
        places = [
            Candidate(power, (*best.settings, (name, value))) for power in near for value in values
        ]
        best = min((best, *places), key=measure)
    if not math.isfinite(tried[best]):
        raise ValueError(
            f"no stepsize of 2^p / L, p from {POWERS[0]} to {POWERS[-1]}, gives {row.key} on "
            f"{problem.name} a finite error after {steps} steps; the row's theorem may tune"
        )
    return Best(method_name(row, problem), best.power, dict(best.settings), tried[best], len(tried))


def fewest_places(row: Row, problem: Problem) -> int:
    """Number of places that :func:`search` tries where the best lies inside its grid.

    Raises:
        ValueError: the row is planned.
    """
    stepless = row.tune(problem, _PILOT).stepless
    beside = sum(len(values) for _, values in _beside(row, problem))
    return 1 + beside if stepless else len(POWERS) + len(_near(0)) * beside


def method_name(row: Row, problem: Problem) -> str:
    """Name of the row's method on a problem, with parameters that do not depend on steps."""
    return row.ready().build(ConstantStep(1.0), problem, _PILOT).name


def _beyond(power: int | None, tried: Collection[Candidate]) -> tuple[Candidate, ...]:
    """More stepsizes where the best is the last of those tried."""
    if power is None or abs(power) >= _FARTHEST:
        return ()
    powers = [one.power for one in tried if one.power is not None]
    if power == max(powers):
        return tuple(Candidate(power + more) for more in range(1, _WIDER + 1))
    if power == min(powers):
        return tuple(Candidate(power - more) for more in range(1, _WIDER + 1))
    return ()


def _near(power: int | None) -> tuple[int | None, ...]:
    return (None,) if power is None else tuple(p for p in (power - 1, power, power + 1))


def _beside(row: Row, problem: Problem) -> Iterator[tuple[str, tuple[float, ...]]]:
    known = row_parameters(row, problem)
    for name, values in BESIDE.items():
        if isinstance(known.get(name), float):
            yield name, values


def _measured(row: Row, problem: Problem, one: Candidate, steps: int, replicas: int) -> float:
    """Score at the end, typical of replicas; infinite where a run diverges or the place is
    refused."""
    step = ConstantStep(2.0 ** (one.power or 0) / smoothness(problem))
    try:
        method = with_values(row, dict(one.settings)).ready().build(step, problem, steps)
        trace = run(method, problem, steps=steps, seed=SEED, replicas=replicas, points=20)
    except (Diverged, OutOfRange, ValueError, WorkerLost):
        return math.inf
    end = float(centre(_decides(trace, problem)[:, -1:], trace.heavy_tailed)[0])
    return end if math.isfinite(end) else math.inf


def _decides(trace: Trace, problem: Problem) -> Floats:
    """Criterion: :func:`score`, but for a network its loss, since a network whose weights have run
    away is saturated and has small gradients."""
    return trace.suboptimality if len(problem.shapes) > 1 else score(trace)

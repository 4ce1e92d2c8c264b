"""The jobs on which every row of the catalogue is measured, and how a row takes steps of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import torch

from algorithms.catalogue import METHODS, Row, problem, row
from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.stopwatch import STANDARD, Stopwatch
from benchmarks.jobs import BATCH, GAMMA, LAM, SIZES, Size
from theory.stepsizes import ConstantStep

BASE = "bsp-sgd"
"""The row that all others take turns with."""

PROBLEMS = (
    "quadratic-sc", "quadratic-unequal", "nonconvex-digits-dirichlet", "logreg-breast-cancer",
    "least-squares-rising", "mlp-digits",
)  # fmt: skip
"""Problems of the catalogue: one Hessian, Hessians of their own, non-convex on uneven shards,
convex data, least squares, a network."""

WORKERS = 8  # of problems of the catalogue

HEAVY = 10_000
"""Numbers in the models of all workers from which on constants or a step may take long."""


@final
@dataclass(frozen=True)
class RowJob:
    """A problem that all rows are measured on.

    Attributes:
        name: what tables and results call it.
        group: what ``--only`` calls it: small, large or problems.
        size: of the synthetic logistic regression; None: the problem of the catalogue of this name.
    """

    name: str
    group: str
    size: Size | None = None

    @property
    def title(self) -> str:
        """Its name and how large it is."""
        if self.size is None:
            return f"{self.name}, n = {WORKERS}"
        return f"{self.name}: n = {self.size.n}, d = {self.size.d:,}"

    def make(self) -> Problem:
        """The problem: l2 logistic regression in float32, or the catalogue's."""
        if self.size is None:
            return problem(self.name, WORKERS)
        n, samples, d = self.size.n, self.size.samples, self.size.d
        return synthetic(n, samples, d, L2(LAM), batch=BATCH, dtype=torch.float32)


JOBS = (
    RowJob("small", "small", SIZES[0]),
    RowJob("large", "large", SIZES[1]),
    *(RowJob(name, "problems") for name in PROBLEMS),
)


class First(NamedTuple):
    """What a row's first step tells.

    Attributes:
        work: gradients that a row with a schedule computed in it; of another the workers that
            computed, or where nobody did, that sent.
        seconds: how long it took [s], what it compiled included.
    """

    work: float
    seconds: float


class Entrant(NamedTuple):
    """A row on a problem.

    Attributes:
        problem: the job's, or where the row does not run on that, the first that it lists.
    """

    row: Row
    problem: Problem

    def method(self, steps: int) -> Method[Any]:
        """The row's method for so many steps."""
        return self.row.ready().build(ConstantStep(stepsize(self.problem)), self.problem, steps)

    def trace(self, steps: int) -> Trace:
        """The public path's run of so many steps, which records start and end."""
        return run(self.method(steps), self.problem, steps=steps, points=2)

    def seconds(self, steps: int) -> float:
        """Time [s] of ``steps`` steps; records are not counted."""
        return float(self.trace(steps).wall_seconds[-1])

    def first(self) -> First:
        """What the first step tells, by the modelled clock."""
        network = Simulated(self.problem.n)
        once = run(self.method(1), self.problem, steps=1, network=network, timing=STANDARD)
        watch, everyone = network.stopwatch, self.problem.n
        worked = float((watch.worked > 0).sum()) if isinstance(watch, Stopwatch) else 0.0
        if watch is None:  # a schedule of the row's own
            worked = float(np.nan_to_num(once.gradients[0, -1])) * everyone
        spoke = int((once.account.sent_messages > 0).sum())
        return First(worked or spoke or everyone, float(once.wall_seconds[-1]))


def stepsize(problem: Problem) -> float:
    """0.05, or where a worker's curvature is above 1, that over it: no run is to diverge. The large
    logistic regression is known to be below 1, and not asked."""
    if problem.n * problem.d >= HEAVY:
        return GAMMA
    c = problem.constants()
    return GAMMA / max(1.0, c.L_max or c.L or 1.0)


def entrant(row: Row, job: Problem) -> Entrant:
    """The row on the job's problem, or on the first that it lists.

    Raises:
        ValueError: it cannot be built for so many workers.
    """
    here = Entrant(row, job)
    if not here.method(1).unfit(job):
        return here
    return Entrant(row, problem(row.problems[0], job.n))


def rows(keys: Iterable[str] = ()) -> list[Row]:
    """The rows of those keys, or all; the base first.

    Raises:
        UnknownName: there is none of a key; suggests the nearest.
    """
    asked = [row(key) for key in keys]
    found = {one.key: one for one in (row(BASE), *(asked or METHODS))}
    return list(found.values())

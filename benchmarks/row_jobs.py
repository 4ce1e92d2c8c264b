"""The jobs on which every row of the catalogue is measured, and how a row takes steps of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import torch

from algorithms.catalogue import METHODS, Row, problem
from algorithms.methods.base import Method
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.run import run
from algorithms.synchronisation.stopwatch import STANDARD, Stopwatch
from algorithms.trace import Trace
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
_STEP = ConstantStep(GAMMA)


@final
@dataclass(frozen=True)
class RowJob:
    """A problem that rows run on.

    Attributes:
        title: what the table is headed by.
        group: what ``--only`` calls it.
        make: builds the problem, which is done once it is its turn.
    """

    title: str
    group: str
    make: Callable[[], Problem]


def jobs(groups: Iterable[str]) -> Iterator[RowJob]:
    """The jobs of the groups ``small``, ``large`` and ``problems``, in that order."""
    asked = tuple(groups)
    for group, size in (("small", SIZES[0]), ("large", SIZES[1])):
        if group in asked:
            title = f"{group}: n = {size.n}, d = {size.d:,}"
            yield RowJob(title, group, lambda size=size: logistic(size))  # type: ignore[misc]
    if "problems" in asked:
        for name in PROBLEMS:
            yield RowJob(name, "problems", lambda name=name: problem(name, WORKERS))  # type: ignore[misc]


def logistic(size: Size) -> Problem:
    """l2 logistic regression of a size, float32."""
    return synthetic(size.n, size.samples, size.d, L2(LAM), batch=BATCH, dtype=torch.float32)


class Entrant(NamedTuple):
    """A row on a problem.

    Attributes:
        problem: the job's, or where the row does not run on that, the first that it lists.
    """

    row: Row
    problem: Problem

    def trace(self, steps: int) -> Trace:
        """The public path's run of so many steps, which records start and end."""
        return run(self._method(steps), self.problem, steps=steps, points=2)

    def seconds(self, steps: int) -> float:
        """Time [s] of ``steps`` steps; records are not counted."""
        return float(self.trace(steps).wall_seconds[-1])

    def active(self) -> int:
        """Workers that compute in the first step, or where nobody computes, that send in it."""
        network = Simulated(self.problem.n)
        once = run(self._method(1), self.problem, steps=1, network=network, timing=STANDARD)
        watch = network.stopwatch
        worked = int((watch.worked > 0).sum()) if isinstance(watch, Stopwatch) else 0
        return worked or int((once.account.sent_messages > 0).sum()) or self.problem.n

    def _method(self, steps: int) -> Method[Any]:
        return self.row.ready().build(_STEP, self.problem, steps)


def entrant(row: Row, job: Problem) -> Entrant:
    """The row on the job's problem, or on the first that it lists.

    Raises:
        ValueError: it runs on none.
    """
    if not row.ready().build(_STEP, job, 1).unfit(job):
        return Entrant(row, job)
    return Entrant(row, problem(row.problems[0], job.n))


def rows(keys: Iterable[str] = ()) -> list[Row]:
    """The rows of those keys, or all; the base first."""
    asked = set(keys)
    found = [row for row in METHODS if not asked or row.key in asked]
    return sorted(found, key=lambda row: row.key != BASE)

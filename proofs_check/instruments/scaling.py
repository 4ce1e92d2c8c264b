"""Scaling studies as data: runs at several values of a variable, and the exponent they must show.

:class:`ScalingRuns` says how a run is made at each value, :class:`ScalingLaw` which power law its
metric must follow; :func:`scaling` makes a :class:`~.study.Study` of the two. Provenance (seeds,
replicas, steps) follows from the runs, so that no text repeats a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import PowerLawFit, fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult, fitted
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.theorem import Theorem


def last_distance(trace: Trace) -> Floats:
    """Squared distance ``[R]`` of the mean model from the minimiser after the last step."""
    return trace.squared_distance[:, -1]


def average_gradient(trace: Trace) -> Floats:
    """Squared gradient ``[R]``, averaged over the steps of the run."""
    return trace.average_squared_gradient[:, -1]


@final
@dataclass(frozen=True)
class ScalingRuns:
    """Runs at several values of one variable.

    Attributes:
        values: of the variable, ascending.
        problem: the objective at a value.
        method: the method at a value, made by a builder on a problem.
        steps: steps of a run; None: the value is their number.
        seeds: seed of each run.
        replicas: replicas of each run.
        metric: what is read of a trace, ``[R]``.
        points: records of a run.
        every: steps between looks at the gradient; 0: at the records alone.
        note: what else makes the runs again.
    """

    values: Sequence[int]
    problem: Callable[[int], Problem]
    method: Callable[[Any, Problem, int], Method[Any]]
    steps: int | None
    seeds: Sequence[int]
    replicas: int
    metric: Callable[[Trace], Floats]
    points: int = 3
    every: int = 0
    note: str = ""

    @property
    def x(self) -> Floats:
        """Values of the variable as floats ``[K]``."""
        return np.array(self.values, dtype=np.float64)

    def samples(self, build: Any) -> Floats:
        """The metric ``[R, K]`` of each replica at each value."""
        columns = []
        for value, seed in zip(self.values, self.seeds, strict=True):
            problem = self.problem(value)
            trace = run(
                self.method(build, problem, value), problem, steps=self.steps or value, seed=seed,
                replicas=self.replicas, points=self.points, every=self.every,
            )  # fmt: skip
            columns.append(self.metric(trace))
        return np.stack(columns, axis=1)

    @property
    def description(self) -> str:
        """Recipe to repeat the runs, in words."""
        parts = (
            f"seeds {_listed(self.seeds)}",
            f"{self.replicas} replicas",
            f"{_listed(self.values if self.steps is None else (self.steps,))} steps",
            self.note,
        )
        return ", ".join(part for part in parts if part)


def _listed(numbers: Sequence[int]) -> str:
    return "/".join(str(one) for one in dict.fromkeys(numbers))


@final
@dataclass(frozen=True)
class ScalingLaw:
    """Power law of a metric in a variable.

    Attributes:
        row: key of the row.
        problem: name of the problem, or words for several.
        variable: name of the variable.
        order: exponent, or the theorem in whose order the variable has one.
        claim: the law in words.
        tight: whether the exponent must not be lower either.
        source: authors, year and place of the law; a theorem's own where it is one.
        groups: groups of the jackknife.
        floor: mean below which points are left out; None: the rounding of double precision.
        compared: whether the exponent is compared only, not asserted.
    """

    row: str
    problem: str
    variable: str
    order: float | Theorem
    claim: str
    tight: bool = False
    source: str = ""
    groups: int = 16
    floor: float | None = None
    compared: bool = False

    @property
    def exponent(self) -> float:
        """The exponent as a number."""
        if isinstance(self.order, Theorem):
            return float(self.order.order.exponents[self.variable])
        return self.order

    def fit(self, x: Floats, y: Floats) -> PowerLawFit:
        """The power law of samples ``[R, K]`` at ``x`` ``[K]``."""
        return fit_power(x, y, ALPHA, groups=self.groups, floor=self.floor)

    def verdict(self, fit: PowerLawFit, description: str) -> Verdict:
        """Verdict on a fitted exponent; ``description`` says how its samples are made again."""
        theorem = self.order if isinstance(self.order, Theorem) else None
        source = self.source if theorem is None else str(theorem.source)
        found = rate_verdict(
            fit, self.exponent, self.tight, subject=self.row, claim=self.claim,
            variable=self.variable, problem=self.problem,
            provenance="; ".join(p for p in (source, f"{description}, error {ALPHA:g}") if p),
        )  # fmt: skip
        return replace(
            found,
            theorem="" if theorem is None else theorem.name,
            outcome=Outcome.COMPARED if self.compared else found.outcome,
        )

    def judged(self, x: Floats, y: Floats, description: str) -> Verdict:
        """Verdict on samples ``[R, K]`` at ``x`` ``[K]``."""
        return self.verdict(self.fit(x, y), description)

    def drawn(self, x: Floats, y: Floats, description: str, reference: Floats) -> StudyResult:
        """Verdict on samples ``[R, K]``, with their band, the fitted law and ``reference``."""
        fit = self.fit(x, y)
        return StudyResult((self.verdict(fit, description),), (fitted(x, y, fit, reference),))


def scaling(
    name: str, title: str, x_label: str, y_label: str, law: ScalingLaw, runs: ScalingRuns,
    build: Any, reference: Callable[[Floats, Floats], Floats],
) -> Study:  # fmt: skip
    """The study of one law by one set of runs.

    ``build`` is the builder of the row's own method; ``reference`` gives the line beside the
    measured one from values ``[K]`` and samples ``[R, K]``.
    """

    def measure(builder: Any = build) -> StudyResult:
        y = runs.samples(builder)
        return law.drawn(runs.x, y, runs.description, reference(runs.x, y))

    return Study(name, law.row, law.problem, title, x_label, y_label, measure)

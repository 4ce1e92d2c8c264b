"""One catalogue row played on one problem: tuned, run, its theorem's series and bound, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Unpack

import numpy as np
import torch

from algorithms.catalogue import Row, Tuned
from algorithms.engine.run import Trace, run
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from algorithms.tuning.grid import Best
from proofs_check.verdict import CheckKind, Figures, Outcome, Verdict
from theory.arrays import Floats
from theory.constants import Constants, MissingConstants
from theory.stepsizes import Stepsize
from theory.theorem import Metric, Theorem

_SERIES = {
    Metric.AVERAGE_SQUARED_GRADIENT: "average_squared_gradient",
    Metric.SUBOPTIMALITY: "suboptimality",
    Metric.WEIGHTED_SUBOPTIMALITY: "weighted_suboptimality",
    Metric.SQUARED_DISTANCE: "squared_distance",
}

START = {
    Metric.AVERAGE_SQUARED_GRADIENT: "squared_gradient",
    Metric.MINIMUM_SQUARED_GRADIENT: "squared_gradient",
    Metric.SUBOPTIMALITY: "suboptimality",
    Metric.WEIGHTED_SUBOPTIMALITY: "suboptimality",
    Metric.SQUARED_DISTANCE: "squared_distance",
}
"""What a metric is before the first step."""

_NOTHING = 1e-28  # a start that is the minimum, but for rounding
VACUOUS = "its bound at the end is above the start: vacuous at this T"


class TunedRun(NamedTuple):
    """One tuned run of a row on a problem, with the constants it was tuned by.

    Attributes:
        trace: what the run recorded.
        steps: number of steps.
        note: what tuned it in words, where it was no theorem; empty: a cautious rule.
    """

    row: Row
    problem: Problem
    tuned: Tuned
    constants: Constants
    trace: Trace
    steps: int
    note: str = ""

    @property
    def theorem(self) -> Theorem | None:
        """The one that tuned it, or covers its stepsize."""
        return self.tuned.theorem

    @property
    def replicas(self) -> int:
        """Number of replicas of the run."""
        return len(self.trace.squared_gradient)

    @property
    def series(self) -> Floats | None:
        """Quantity of the theorem ``[R, K]``; None without one, and where the trace has it not."""
        return None if self.theorem is None else measured(self.trace, self.theorem.metric)

    @property
    def start(self) -> float | None:
        """Mean of the theorem's metric before the first step; None where it is not measured."""
        name = None if self.theorem is None else START.get(self.theorem.metric)
        return None if name is None else float(getattr(self.trace, name)[:, 0].mean())

    def bound(self, times: Floats) -> Floats:
        """Bound of the theorem after ``times`` [steps]; there must be one."""
        assert self.theorem is not None
        return self.theorem.bound(self.constants, self.tuned.step, times)

    @property
    def end_bound(self) -> float:
        """Bound of the theorem at the last step; there must be one."""
        return float(self.bound(np.array([float(self.steps)]))[0])

    @property
    def vacuous(self) -> bool | None:
        """Whether the theorem's bound at the end is no less than what was measured at the start.

        A stepsize that such a theorem prescribes is proved of nothing at this T. None without a
        theorem, where the start is not measured, and where it is the minimum already.
        """
        if self.start is None or self.start <= _NOTHING:
            return None
        return not self.end_bound < self.start

    @property
    def description(self) -> str:
        """Seed, replicas, steps and stepsize, in words."""
        note = f", {self.note}" if self.note else ""
        return (
            f"seed {self.trace.seed}, {self.replicas} replicas, {self.steps} steps, "
            f"{self.tuned.step_text}{note}"
        )

    def judged(
        self, kind: CheckKind, check: str, claim: str, outcome: Outcome, evidence: str,
        provenance: str = "", **figures: Unpack[Figures],
    ) -> Verdict:  # fmt: skip
        """A verdict on the run; its ``provenance`` is how it was made, if no other is given."""
        return Verdict(
            self.row.key, claim, check, outcome, evidence=evidence, kind=kind,
            provenance=provenance or self.description, problem=self.problem.name, **figures,
        )  # fmt: skip

    def no_theorem(self, kind: CheckKind, check: str, claim: str) -> Verdict:
        """Not applicable, with the reasons."""
        return self.judged(kind, check, claim, Outcome.NOT_APPLICABLE, self.reasons)

    @property
    def reasons(self) -> str:
        """Reason why no theorem of the row applies, or why it cannot be held against a trace."""
        theorem = self.theorem
        if theorem is not None:
            return (
                f"{theorem.name} applies; its metric ({theorem.metric.value}) is not in a trace, or"
                " it has no order in T: its bound has a check of its own"
            )
        description = [f"{one.name}: {self._reason(one)}" for one in self.row.theorems]
        return " | ".join(description) or self.row.why or "no theorem is stated for this row"

    def _reason(self, theorem: Theorem) -> str:
        missing = self.constants.missing(theorem.needs)
        if missing:
            return f"needs {', '.join(missing)}"
        try:
            step = theorem.stepsize(self.constants, self.steps)
        except MissingConstants as error:
            return str(error)
        return "; ".join(theorem.violations(self.constants, step, self.steps))


def about(verdict: Verdict, theorem: Theorem) -> Verdict:
    """With the theorem's name; what rests on memory or orders alone is compared, not asserted."""
    outcome = verdict.outcome if theorem.confidence.assertable else Outcome.COMPARED
    return replace(verdict, outcome=outcome, theorem=theorem.name)


def measured_name(metric: Metric) -> str | None:
    """Name of a metric in a trace; None where it has none of it."""
    return _SERIES.get(metric)


def measured(trace: Trace, metric: Metric) -> Floats | None:
    """The series ``[R, K]`` that a theorem's metric speaks of; None where the trace has none."""
    name = _SERIES.get(metric)
    return None if name is None else getattr(trace, name)


def at_start(trace: Trace, series: Floats) -> float:
    """Mean of a metric's ``series`` ``[R, K]`` before the first step; f - f* where it is an average
    over steps that has no value there."""
    first = float(series[:, 0].mean())
    return first if np.isfinite(first) else float(trace.suboptimality[:, 0].mean())


def tuned_run(
    row: Row,
    problem: Problem,
    steps: int,
    replicas: int,
    seed: int,
    step: Stepsize | None = None,
    *,
    points: int = 200,
    every: int | None = None,
    timing: Timing | None = STANDARD,
    of_workers: bool = False,
    device: torch.device | str = "cpu",
) -> TunedRun:
    """Tune (or take ``step`` as it is) and run, with at most ``points`` records.

    The squared gradient is taken at every step where the theorem bounds its average over all steps,
    else at records only; or every so many steps (``every``). ``timing`` and ``of_workers``
    as of :func:`algorithms.engine.run.run`; without a model of time there are no seconds. The row
    is tuned on the problem as it is, on the CPU; the run is made on ``device``.

    Raises:
        Diverged: the run left the range of its number type.
    """
    tuned = row.tune(problem, steps, step)
    constants = tuned.method.constants(problem).completed()
    theorem = tuned.theorem
    metric = None if theorem is None else theorem.metric
    weighted = metric is Metric.WEIGHTED_SUBOPTIMALITY
    averaged = metric is Metric.AVERAGE_SQUARED_GRADIENT

    def weight(t: int) -> float:
        assert theorem is not None
        return theorem.weight(constants, tuned.step, t)

    trace = run(
        tuned.method, problem.to(device), steps=steps, seed=seed, replicas=replicas, points=points,
        every=int(averaged) if every is None else every, weight=weight if weighted else None,
        timing=timing, of_workers=of_workers,
    )  # fmt: skip
    return TunedRun(row, problem, tuned, constants, trace, steps)


def grid_run(
    row: Row, problem: Problem, best: Best, steps: int, replicas: int, seed: int
) -> TunedRun:
    """The row's run with what a grid's search found, at the error of its last models.

    Raises:
        Diverged: the run left the range of its number type.
    """
    result = tuned_run(best.row(row), problem, steps, replicas, seed, best.step(problem))
    return result._replace(row=row, note=best.description)

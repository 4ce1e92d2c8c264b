"""One row on one problem: the run, its interval over replicas, and the bound that speaks of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from algorithms.catalogue import Row
from algorithms.problems.base import Problem
from experiments.figures.panels import RunCurves
from proofs_check.methods.tuned_run import Played, measured, only_agrees, play
from theory.stepsizes import Stepsize
from theory.theorem import Metric, Theorem, missing_sentence

Curve = NDArray[np.float64]

LEVEL = 0.95
CLOCK = "modelled time"

LABELS = {
    Metric.AVERAGE_SQUARED_GRADIENT: r"$\mathrm{mean}_{s<t}\ \mathrm{E}\Vert\nabla f(x_s)\Vert^2$",
    Metric.MINIMUM_SQUARED_GRADIENT: r"$\mathrm{E}\Vert\nabla f(x_t)\Vert^2$",
    Metric.SUBOPTIMALITY: r"$\mathrm{E}\,f(x_t)-f^\star$",
    Metric.WEIGHTED_SUBOPTIMALITY: r"$\mathrm{E}\,f(\hat x_t)-f^\star$, weighted mean",
    Metric.SQUARED_DISTANCE: r"$\mathrm{E}\Vert x_t-x^\star\Vert^2$",
    Metric.CONSENSUS_POTENTIAL: r"$\mathrm{E}\,\sum_i\Vert x_i-\bar x\Vert^2"
    r"+\Vert x_i-\hat x_i\Vert^2$",
}
CONSENSUS_SHOWN = "E sum_i ||x_i - xbar||^2"
CONSENSUS_LABEL = r"$\mathrm{E}\,\sum_i\Vert x_i-\bar x\Vert^2$"


@final
@dataclass(frozen=True)
class Quantity:
    """One measured number: the mean over replicas and the half-width of its 95% interval.

    Attributes:
        name: what was measured.
        half_width: half of the 95% interval.
        unit: its unit; empty: a pure number.
        name: what was measured.
        half_width: half of the 95% interval.
        unit: its unit; empty: a pure number.
    """

    name: str
    mean: float
    half_width: float
    unit: str = ""


@final
@dataclass(frozen=True)
class Single:
    """A finished run with what theory says of it.

    Attributes:
        row: the row that was run.
        problem: the problem that it was run on.
        played: the run, with the constants and the theorem it was tuned by.
        row: the row that was run.
        problem: the problem that it was run on.
        played: the run, with the constants and the theorem it was tuned by.
    """

    row: Row
    problem: Problem
    played: Played

    @property
    def theorem(self) -> Theorem | None:
        """The first of the row's theorems that applies; it set the stepsize."""
        return self.played.tuned.theorem

    @property
    def metric(self) -> Metric:
        """What is shown: the theorem's metric where the run measured it."""
        trace = self.played.trace
        if self.theorem is not None and measured(trace, self.theorem.metric) is not None:
            return self.theorem.metric
        if self._about_consensus:
            return Metric.CONSENSUS_POTENTIAL
        return Metric.SUBOPTIMALITY if trace.f_star_known else Metric.MINIMUM_SQUARED_GRADIENT

    @property
    def shown(self) -> str:
        """Name of what is shown; of a potential, the part that a run can see."""
        return CONSENSUS_SHOWN if self._about_consensus else self.metric.value

    @property
    def bound(self) -> Curve | None:
        """The theorem's bound at the recorded steps, NaN at the start."""
        theorem, steps = self.theorem, self.played.trace.steps.astype(np.float64)
        if theorem is None or theorem.metric is not self.metric:
            return None
        bound = theorem.bound(self.played.constants, self.played.tuned.step, np.maximum(steps, 1))
        return np.where(steps > 0, bound, np.nan)

    def curves(self) -> RunCurves:
        """What the three panels show."""
        trace, n = self.played.trace, self.problem.n
        mean, half = interval(self._series())
        sent, received = trace.sent_bits.mean(0), trace.received_bits.mean(0)
        return RunCurves(
            title=f"{self.row.key} on {self.problem.name}, $n={n}$, "
            f"{len(trace.suboptimality)} replicas",
            label=CONSENSUS_LABEL if self._about_consensus else LABELS[self.metric],
            steps=trace.steps.astype(np.float64),
            mean=mean,
            low=mean - half,
            high=mean + half,
            band="95% interval of the mean",
            bits=sent + received,
            seconds=known(trace.seconds.mean(0)),
            clock=CLOCK,
            bound=self.bound,
            bound_label=bound_label(self.theorem),
        )

    def quantities(self) -> tuple[Quantity, ...]:
        """The final numbers, those that are known."""
        trace = self.played.trace
        last = (
            ("f(x_T) - f*" if trace.f_star_known else "f(x_T)", trace.suboptimality, ""),
            ("||grad f(x_T)||^2", trace.squared_gradient, ""),
            ("||x_T - x*||^2", trace.squared_distance, ""),
            ("(1/n) sum ||x_i - xbar||^2", trace.consensus, ""),
            ("sent per worker", trace.sent_bits, "bit"),
            ("received per worker", trace.received_bits, "bit"),
            (CLOCK, trace.seconds, "s"),
        )
        found = []
        for name, values, unit in last:
            mean, half = interval(values[:, -1:])
            if np.isfinite(mean[0]):
                found.append(Quantity(name, float(mean[0]), float(half[0]), unit))
        return tuple(found)

    @property
    def _about_consensus(self) -> bool:
        """Whether the workers' distance from their mean is what the row is about."""
        trace = self.played.trace
        return only_agrees(trace.squared_gradient, trace.consensus)

    def _series(self) -> Curve:
        trace = self.played.trace
        if self._about_consensus:
            return trace.consensus * self.problem.n
        series = measured(trace, self.metric)
        return trace.squared_gradient if series is None else series


def run_single(
    row: Row,
    problem: Problem,
    *,
    steps: int = 2000,
    replicas: int = 32,
    seed: int = 0,
    step: Stepsize | None = None,
) -> Single:
    """Run a row, tuned as the catalogue tunes it, or with a ``step`` of one's own.

    Raises:
        ValueError: an argument is out of range, or the row is planned.
        Diverged: the run left the range of its number type.
    """
    return Single(row, problem, play(row, problem, steps, replicas, seed, step))


def uncovered(
    row: Row, problem: Problem, steps: int, step: Stepsize | None = None
) -> tuple[str, ...]:
    """Why some of the row's theorems do not speak of this run: one sentence each.

    Where no ``step`` is given, each theorem is asked about the one it prescribes.

    Raises:
        ValueError: the row is planned.
    """
    constants = row.tune(problem, steps).method.constants(problem).completed()
    reasons = []
    for theorem in row.theorems:
        broken = missing_sentence(theorem, constants)
        if not broken:
            asked = step or theorem.stepsize(constants, steps)
            broken = theorem.violations(constants, asked, steps)
        if broken:
            reasons.append(f"{theorem.title}: {'; '.join(broken)}")
    return tuple(reasons)


def bound_label(theorem: Theorem | None) -> str:
    """A theorem in a legend."""
    return f"bound: {theorem.source.authors} {theorem.source.year}" if theorem else "bound"


def interval(values: Curve) -> tuple[Curve, Curve]:
    """Mean over replicas of ``[R, K]`` and the half-width of its 95% t interval, NaN for R = 1."""
    replicas = values.shape[0]
    mean = values.mean(axis=0)
    if replicas < 2:
        return mean, np.full_like(mean, np.nan)
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, replicas - 1))
    return mean, quantile * values.std(axis=0, ddof=1) / replicas**0.5


def known(curve: Curve | None) -> Curve | None:
    """The curve, or None where nothing was measured."""
    return None if curve is None or not np.isfinite(curve).any() else curve

"""One catalogue row played on one problem: tuned, run, and its series by what theorems bound."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from algorithms.catalogue import Row, Tuned
from algorithms.engine.run import Diverged, Trace, run
from algorithms.engine.trace import only_agrees
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from algorithms.tuning.grid import Best
from proofs_check.curves import Cited, RunSeries, typical
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Metric, Theorem

AGREEMENT = "E sum_i ||x_i - xbar||^2"
"""What is shown of a run whose mean model is the minimiser from the start."""

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
    """One tuned run with the constants it was tuned by.

    Attributes:
        trace: what the run recorded.
        steps: number of steps.
        note: what tuned it in words, where it was no theorem; empty: a cautious rule.
    """

    tuned: Tuned
    constants: Constants
    trace: Trace
    steps: int
    note: str = ""

    @property
    def vacuous(self) -> bool | None:
        """Whether the theorem's bound at the end is no less than what was measured at the start.

        A stepsize that such a theorem prescribes is proved of nothing at this T. None without a
        theorem, where the start is not measured, and where it is the minimum already.
        """
        theorem = self.tuned.theorem
        start = None if theorem is None else START.get(theorem.metric)
        if theorem is None or start is None:
            return None
        end = theorem.bound(self.constants, self.tuned.step, np.array([float(self.steps)]))
        level = float(getattr(self.trace, start)[:, 0].mean())
        return None if level <= _NOTHING else not float(end[0]) < level


def bound_at_end(theorem: Theorem, played: TunedRun) -> float:
    """What the theorem says of the run's last step."""
    ends = theorem.bound(played.constants, played.tuned.step, np.array([float(played.steps)]))
    return float(ends[0])


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
    timing: Timing = STANDARD,
    of_workers: bool = False,
    device: torch.device | str = "cpu",
) -> TunedRun:
    """Tune (or take ``step`` as it is) and run, with at most ``points`` records.

    The squared gradient is taken at every step where the theorem bounds its average over all steps,
    else at records only; or every so many steps (``every``). ``of_workers``
    as of :func:`algorithms.engine.run.run`. The row is tuned on the problem as it is, on the CPU;
    the run is played on ``device``.

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
    return TunedRun(tuned, constants, trace, steps)


def grid_run(
    row: Row, problem: Problem, best: Best, steps: int, replicas: int, seed: int
) -> TunedRun:
    """The row's run with what a grid's search found, at the error of its last models.

    Raises:
        Diverged: the run left the range of its number type.
    """
    step = best.step(problem)
    played = tuned_run(best.row(row), problem, steps, replicas, seed, step)
    return played._replace(note=best.told)


def practice(
    row: Row, problem: Problem, best: Best, beside: TunedRun, replicas: int, seed: int
) -> RunSeries | None:
    """A short run at the best of a grid, in the quantity that ``beside``'s theorem bounds.

    A weighted average has the weights of its theorem's stepsize: the last model stands for it.
    None where the run diverges.
    """
    tuned, theorem = best.tuned(row, problem, beside.steps), beside.tuned.theorem
    metric = Metric.SUBOPTIMALITY if theorem is None else theorem.metric
    if metric is Metric.WEIGHTED_SUBOPTIMALITY:
        metric = Metric.SUBOPTIMALITY
    averaged = metric is Metric.AVERAGE_SQUARED_GRADIENT
    try:
        trace = run(
            tuned.method, problem, steps=beside.steps, seed=seed, replicas=replicas, points=60,
            every=1 if averaged else 0, timing=STANDARD,
        )  # fmt: skip
    except Diverged:
        return None
    constants = tuned.method.constants(problem).completed()
    played = TunedRun(tuned, constants, trace, beside.steps, best.told)
    series = measured(trace, metric)
    what = shown(played, problem.n) if series is None else Shown(metric.value, series, None)
    return _series(played, what._replace(bound=None), problem.n)


class Shown(NamedTuple):
    """What is shown of a run: the quantity's name, its values ``[R, K]``, the theorem's bound.

    Attributes:
        quantity: in the words of ``Metric``, or :data:`AGREEMENT`.
        samples: the values ``[R, K]``.
        bound: the bound on the quantity ``[K]``, NaN at the start, or None.
    """

    quantity: str
    samples: Floats
    bound: Floats | None


def shown(played: TunedRun, n: int) -> Shown:
    """What the theorem bounds; else the distance from agreement of ``n`` workers where that is all
    there is to see, f - f* where f* is known, and the squared gradient."""
    trace, theorem = played.trace, played.tuned.theorem
    series = measured(trace, theorem.metric) if theorem else None
    if theorem is not None and series is not None:
        return Shown(theorem.metric.value, series, _bound(played))
    if only_agrees(trace.squared_gradient, trace.consensus):
        potential = theorem is not None and theorem.metric.of_agreement
        return Shown(AGREEMENT, trace.consensus * n, _bound(played) if potential else None)
    if trace.f_star_known:
        return Shown(Metric.SUBOPTIMALITY.value, trace.suboptimality, None)
    return Shown(Metric.MINIMUM_SQUARED_GRADIENT.value, trace.squared_gradient, None)


def _bound(played: TunedRun) -> Floats | None:
    theorem, steps = played.tuned.theorem, played.trace.steps.astype(np.float64)
    if theorem is None:
        return None
    bound = theorem.bound(played.constants, played.tuned.step, np.maximum(steps, 1))
    return np.where(steps > 0, bound, np.nan)


def cited(theorem: Theorem) -> Cited:
    """A theorem as figures name it."""
    source = theorem.source
    order = str(theorem.order) if theorem.order.exponents else ""
    short = f"{source.authors} {source.year}"
    return Cited(theorem.name, theorem.title, str(source), short, order)


def run_series(played: TunedRun, n: int) -> RunSeries:
    """The run of ``n`` workers for figures."""
    return _series(played, shown(played, n), n)


def _series(played: TunedRun, what: Shown, n: int) -> RunSeries:
    trace = played.trace
    theorem = played.tuned.theorem if what.bound is not None else None
    lam = played.constants.lam
    network = f"; lambda = {lam:.4g}, gap {1 - lam:.4g}" if lam is not None else ""
    seconds = trace.seconds.mean(0)
    return RunSeries(
        what.quantity,
        trace.steps.astype(np.float64),
        *typical(what.samples, trace.heavy_tailed),
        sent_bits=trace.sent_bits.mean(0),
        received_bits=trace.received_bits.mean(0),
        seconds=seconds if np.isfinite(seconds).any() else None,
        bound=what.bound,
        theorem=cited(theorem) if theorem else None,
        method=f"{trace.method}, {n} workers{network}",
        tuning=_tuning(played),
        vacuous=played.vacuous,
        heavy=trace.heavy_tailed,
    )


def _tuning(played: TunedRun) -> str:
    """What set the stepsize, in words."""
    if played.tuned.stepless:
        return "no stepsize"
    if played.note:
        return played.note
    return "its theorem" if played.tuned.theorem is not None else played.tuned.note

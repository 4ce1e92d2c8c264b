"""Series of a tuned run as figures show them: what is shown, its bound, and practice beside it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.engine.run import Diverged, run
from algorithms.engine.trace import only_agrees
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.tuning.grid import Best
from proofs_check.curves import Cited, RunSeries, typical
from proofs_check.methods.tuned_run import TunedRun, measured
from theory.arrays import Floats
from theory.theorem import Metric, Theorem

AGREEMENT = "E sum_i ||x_i - xbar||^2"
"""What is shown of a run whose mean model is the minimiser from the start."""


class Shown(NamedTuple):
    """Quantity shown of a run: its name, its values ``[R, K]``, the theorem's bound.

    Attributes:
        quantity: in the words of ``Metric``, or :data:`AGREEMENT`.
        samples: the values ``[R, K]``.
        bound: the bound on the quantity ``[K]``, NaN at the start, or None.
    """

    quantity: str
    samples: Floats
    bound: Floats | None = None


def shown(result: TunedRun) -> Shown:
    """Quantity of the theorem; else the distance from agreement of all workers where that is all
    there is to see, f - f* where f* is known, and the squared gradient."""
    trace, theorem, series = result.trace, result.theorem, result.series
    if theorem is not None and series is not None:
        return Shown(theorem.metric.value, series, _bound(result))
    if only_agrees(trace.squared_gradient, trace.consensus):
        potential = theorem is not None and theorem.metric.of_agreement
        distances = trace.consensus * result.problem.n
        return Shown(AGREEMENT, distances, _bound(result) if potential else None)
    if trace.f_star_known:
        return Shown(Metric.SUBOPTIMALITY.value, trace.suboptimality)
    return Shown(Metric.MINIMUM_SQUARED_GRADIENT.value, trace.squared_gradient)


def _bound(result: TunedRun) -> Floats:
    steps = result.trace.steps.astype(np.float64)
    return np.where(steps > 0, result.bound(np.maximum(steps, 1)), np.nan)


def cited(theorem: Theorem) -> Cited:
    """A theorem as figures name it."""
    source = theorem.source
    order = str(theorem.order) if theorem.order.exponents else ""
    short = f"{source.authors} {source.year}"
    return Cited(theorem.name, theorem.title, str(source), short, order)


def run_series(result: TunedRun, what: Shown | None = None) -> RunSeries:
    """The run for figures; ``what`` is shown of it (default: :func:`shown`)."""
    what = what or shown(result)
    trace, theorem, lam = result.trace, result.theorem, result.constants.lam
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
        theorem=None if theorem is None or what.bound is None else cited(theorem),
        method=f"{trace.method}, {result.problem.n} workers{network}",
        tuning=_tuning(result),
        vacuous=result.vacuous,
        heavy=trace.heavy_tailed,
        ends=what.samples[:, -1],
    )


def practice(best: Best, beside: TunedRun, replicas: int) -> RunSeries | None:
    """A short run at the best of a grid, in the quantity that ``beside``'s theorem bounds.

    A weighted average has the weights of its theorem's stepsize: the last model stands for it.
    None where the run diverges.
    """
    row, problem, steps, theorem = beside.row, beside.problem, beside.steps, beside.theorem
    tuned = best.tuned(row, problem, steps)
    metric = Metric.SUBOPTIMALITY if theorem is None else theorem.metric
    if metric is Metric.WEIGHTED_SUBOPTIMALITY:
        metric = Metric.SUBOPTIMALITY
    try:
        trace = run(
            tuned.method, problem, steps=steps, seed=beside.trace.seed, replicas=replicas,
            points=60, every=int(metric is Metric.AVERAGE_SQUARED_GRADIENT), timing=STANDARD,
        )  # fmt: skip
    except Diverged:
        return None
    constants = tuned.method.constants(problem).completed()
    result = TunedRun(row, problem, tuned, constants, trace, steps, best.description)
    series = measured(trace, metric)
    what = shown(result) if series is None else Shown(metric.value, series)
    return run_series(result, what._replace(bound=None))


def _tuning(result: TunedRun) -> str:
    """Source of the stepsize, in words."""
    if result.tuned.stepless:
        return "no stepsize"
    if result.note:
        return result.note
    return "its theorem" if result.theorem is not None else result.tuned.note

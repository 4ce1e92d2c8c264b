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
    """What is shown of a run: the quantity's name, its values ``[R, K]``, the theorem's bound.

    Attributes:
        quantity: in the words of ``Metric``, or :data:`AGREEMENT`.
        samples: the values ``[R, K]``.
        bound: the bound on the quantity ``[K]``, NaN at the start, or None.
    """

    quantity: str
    samples: Floats
    bound: Floats | None = None


def shown(played: TunedRun) -> Shown:
    """What the theorem bounds; else the distance from agreement of all workers where that is all
    there is to see, f - f* where f* is known, and the squared gradient."""
    trace, theorem, series = played.trace, played.theorem, played.series
    if theorem is not None and series is not None:
        return Shown(theorem.metric.value, series, _bound(played))
    if only_agrees(trace.squared_gradient, trace.consensus):
        potential = theorem is not None and theorem.metric.of_agreement
        distances = trace.consensus * played.problem.n
        return Shown(AGREEMENT, distances, _bound(played) if potential else None)
    if trace.f_star_known:
        return Shown(Metric.SUBOPTIMALITY.value, trace.suboptimality)
    return Shown(Metric.MINIMUM_SQUARED_GRADIENT.value, trace.squared_gradient)


def _bound(played: TunedRun) -> Floats:
    steps = played.trace.steps.astype(np.float64)
    return np.where(steps > 0, played.bound(np.maximum(steps, 1)), np.nan)


def cited(theorem: Theorem) -> Cited:
    """A theorem as figures name it."""
    source = theorem.source
    order = str(theorem.order) if theorem.order.exponents else ""
    short = f"{source.authors} {source.year}"
    return Cited(theorem.name, theorem.title, str(source), short, order)


def run_series(played: TunedRun, what: Shown | None = None) -> RunSeries:
    """The run for figures; ``what`` is shown of it (default: :func:`shown`)."""
    what = what or shown(played)
    trace, theorem, lam = played.trace, played.theorem, played.constants.lam
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
        method=f"{trace.method}, {played.problem.n} workers{network}",
        tuning=_tuning(played),
        vacuous=played.vacuous,
        heavy=trace.heavy_tailed,
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
    played = TunedRun(row, problem, tuned, constants, trace, steps, best.told)
    series = measured(trace, metric)
    what = shown(played) if series is None else Shown(metric.value, series)
    return run_series(played, what._replace(bound=None))


def _tuning(played: TunedRun) -> str:
    """What set the stepsize, in words."""
    if played.tuned.stepless:
        return "no stepsize"
    if played.note:
        return played.note
    return "its theorem" if played.theorem is not None else played.tuned.note

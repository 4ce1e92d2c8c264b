"""One catalogue row played on one problem: tuned, run, and its series by what theorems bound."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.catalogue import Row, Tuned
from algorithms.problems.base import Problem
from algorithms.run import Trace, run
from algorithms.synchronisation.stopwatch import STANDARD
from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Curve, Metric

_ROUNDING = 1e-24  # of a squared gradient, beside the squared distance between workers
_SERIES = {
    Metric.AVERAGE_SQUARED_GRADIENT: "average_squared_gradient",
    Metric.SUBOPTIMALITY: "suboptimality",
    Metric.WEIGHTED_SUBOPTIMALITY: "weighted_suboptimality",
    Metric.SQUARED_DISTANCE: "squared_distance",
}


class Played(NamedTuple):
    """One tuned run with the constants it was tuned by.

    Attributes:
        trace: what the run recorded.
        steps: number of steps.
        trace: what the run recorded.
        steps: number of steps.
    """

    tuned: Tuned
    constants: Constants
    trace: Trace
    steps: int


def measured(trace: Trace, metric: Metric) -> NDArray[np.float64] | None:
    """The series ``[R, K]`` that a theorem's metric speaks of; None where the trace has none."""
    name = _SERIES.get(metric)
    return None if name is None else getattr(trace, name)


def play(
    row: Row, problem: Problem, steps: int, replicas: int, seed: int, step: Stepsize | None = None
) -> Played:
    """Tune (or take ``step`` as it is) and run.

    Raises:
        Diverged: the run left the range of its number type.
    """
    tuned = row.tune(problem, steps, step)
    constants = tuned.method.constants(problem).completed()
    theorem = tuned.theorem
    weighted = theorem is not None and theorem.metric is Metric.WEIGHTED_SUBOPTIMALITY

    def weight(t: int) -> float:
        assert theorem is not None
        return theorem.weight(constants, tuned.step, t)

    trace = run(
        tuned.method, problem, steps=steps, seed=seed, replicas=replicas, every=1,
        weight=weight if weighted else None, timing=STANDARD,
    )  # fmt: skip
    return Played(tuned, constants, trace, steps)


def curves_of(played: Played) -> dict[str, Curve]:
    """Curves for figures: steps, mean, low, high (two standard errors), bound, bits, seconds."""
    trace, theorem = played.trace, played.tuned.theorem
    series = measured(trace, theorem.metric) if theorem else None
    shown = series if series is not None else trace.suboptimality
    if theorem is None and not trace.f_star_known:
        shown = trace.squared_gradient
    mean, error = shown.mean(0), 2 * shown.std(0) / np.sqrt(max(1, len(shown)))
    times = trace.steps.astype(np.float64)
    curves = {
        "steps": times,
        "mean": mean,
        "low": mean - error,
        "high": mean + error,
        "squared_gradient": trace.squared_gradient.mean(0),
        "suboptimality": trace.suboptimality.mean(0),
        "consensus": trace.consensus.mean(0),
        "sent_bits": trace.sent_bits.mean(0),
        "received_bits": trace.received_bits.mean(0),
        "messages": trace.messages.mean(0),
        "seconds": trace.seconds.mean(0),
        "wall_seconds": trace.wall_seconds,
    }
    if theorem is not None and series is not None:
        curves["bound"] = theorem.bound(played.constants, played.tuned.step, times)
    return curves


def only_agrees(squared_gradient: Curve, consensus: Curve) -> bool:
    """Whether the mean model is the minimiser from the start ``[..., K]``, so that all that is left
    to do is to agree on it."""
    start = float(np.mean(consensus[..., 0]))
    return float(np.mean(squared_gradient[..., 0])) <= _ROUNDING * start

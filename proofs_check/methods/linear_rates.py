"""The factor by which a step shrinks the error, of methods whose sources state a linear rate.

A power of T says nothing of them, and with noise it is that of the stepsizes. So they run without
the noise of the gradients, at one stepsize, and the logarithm of the error is read against the
step. On quadratics the noise is taken away; on other problems there is a factor only where the
gradients have none, or the method uses none.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.methods.rate_looks import CHECK
from proofs_check.methods.tuned_run import TunedRun, tuned_run
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_ROUNDING = 1e-22  # of the squared distance at the start: double precision ends there
_POINTS = 200


def factor_a_step(result: TunedRun, gamma: float) -> Verdict:
    """The measured factor; its statistic is the exponent of e in the number of steps.

    Raises:
        ValueError: fewer than eight records lie between the start and rounding, the distance to
            the minimiser is not known, or the problem has noise that cannot be taken away.
    """
    problem = _without_noise(result.problem)
    step = None if result.tuned.stepless else ConstantStep(gamma)
    again = tuned_run(
        result.row, problem, result.steps, result.replicas, result.trace.seed, step, points=_POINTS
    )
    trace = again.trace
    errors = trace.consensus + trace.squared_distance
    if _is_random(problem, errors):
        raise ValueError(f"the noise of {problem.name} cannot be taken away")
    slope, half = _fall(np.asarray(trace.steps, dtype=np.float64), errors.mean(axis=0))
    quiet = "" if problem is result.problem else " without noise"
    return result.judged(
        CheckKind.RATE, CHECK, "(1/n) sum_i ||x_i - x*||^2 falls by a factor a step",
        Outcome.NOT_APPLICABLE,
        f"factor a step {np.exp(slope):.6g}, exponent of e in the number of steps {slope:.4g} +- "
        f"{half:.2g}, on {problem.name}{quiet}",
        again.description, statistic=slope, uncertainty=half, resolution=2 * half,
    )  # fmt: skip


def _without_noise(problem: Problem) -> Problem:
    if isinstance(problem, Quadratic) and problem.sigma2:
        return replace(problem, sigma2=0.0)
    return problem


def _is_random(problem: Problem, error: Floats) -> bool:
    """Whether gradients are noisy and the errors ``[R, K]`` of replicas tell of it."""
    return problem.constants().sigma2 != 0 and (len(error) < 2 or bool((error != error[:1]).any()))


def _fall(steps: Floats, error: Floats) -> tuple[float, float]:
    """Slope of log(error) over the later half of what lies above rounding, and by how much the
    slopes of that half's own halves differ."""
    if not np.isfinite(error).all():
        raise ValueError("the distance to the minimiser is not known")
    above = error > _ROUNDING * error[0]
    last = len(error) if above.all() else int(np.argmin(above))
    late = slice(last // 2, last)
    x, y = steps[late], np.log(error[late])
    if len(x) < 4:
        raise ValueError(f"{last} records lie above rounding, a factor needs eight")
    middle = len(x) // 2
    slopes = [float(np.polyfit(x[k], y[k], 1)[0]) for k in (slice(0, middle), slice(middle, None))]
    return float(np.polyfit(x, y, 1)[0]), abs(slopes[1] - slopes[0])

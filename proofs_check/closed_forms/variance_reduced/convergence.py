"""Linear convergence on heterogeneous quadratics without noise, or a floor above it.

Runs are random or deterministic; errors are far from the thresholds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.compressors.qsgd import QSGD
from algorithms.engine.run import Trace, run
from algorithms.methods.base import Method
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.rates import fit_power
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.diana import diana

Make = Callable[[Stepsize], Method[Any]]
N, D = 8, 20
REPLICAS = 16
SMALL = 1e-10


def problem(sigma2: float = 0.0) -> Quadratic:
    """Eight workers whose minimisers differ; L = 1, mu = 0.1."""
    return Quadratic.strongly_convex(N, D, sigma2=sigma2, zeta2=1.0)


def played(
    make: Make, gamma: float, steps: int, sigma2: float = 0.0, replicas: int = REPLICAS
) -> Trace:
    """The run, every replica from the same start."""
    return run(
        make(ConstantStep(gamma)), problem(sigma2), steps=steps, replicas=replicas, points=40
    )


def diana_step() -> float:
    """The largest stepsize that DIANA's theorem allows with QSGD of two levels."""
    constants = Diana(ConstantStep(1.0), QSGD(2)).constants(problem())
    return diana.limit(constants)


def linear_rate(trace: Trace) -> str:
    """The factor a step of the mean squared distance, by the slope of its log above the floor."""
    y, horizon = trace.squared_distance, float(trace.steps[-1])
    floor = 1e-24 * float(y[0, 0])
    if int(np.logical_and.accumulate(y.mean(0) > floor).sum()) < 3:
        return "too few records above the floor for a rate"
    fit = fit_power(np.exp(trace.steps / horizon), y, TEST_ERROR, floor=floor)
    return (
        f"log-slope {fit.slope / horizon:.4g} +- {fit.half_width / horizon:.2g} a step over "
        f"{fit.points} records (resolution {fit.resolution / horizon:.2g})"
    )


def reaches(row: str, make: Make, gamma: float, steps: int, what: str) -> Verdict:
    """The mean squared distance to x* falls below 1e-10 of where it began."""
    trace = played(make, gamma, steps)
    ratio = float(trace.squared_distance[:, -1].max() / trace.squared_distance[0, 0])
    return Verdict(
        subject=row, problem="quadratic, no noise, heterogeneous", check="linear convergence",
        claim=f"{what}: ||x_T - x*||^2 <= 1e-10 ||x_0 - x*||^2",
        outcome=Outcome.SUPPORTED if ratio <= SMALL else Outcome.REFUTED,
        statistic=ratio, bound=SMALL,
        evidence=f"largest ratio over {REPLICAS} replicas {ratio:.3g} after {steps} steps; "
        f"{linear_rate(trace)}",
        provenance=f"gamma {gamma:.4g}, n={N}, d={D}, seed 0",
    )  # fmt: skip


def stalls(row: str, make: Make, gamma: float, steps: int, what: str) -> Verdict:
    """The same without the mechanism stays above 1e-6 of where it began."""
    trace = played(make, gamma, steps)
    tail = trace.squared_distance[:, -5:].mean()
    ratio = float(tail / trace.squared_distance[0, 0])
    return Verdict(
        subject=row, problem="quadratic, no noise, heterogeneous", check="floor",
        claim=f"{what} stalls: ||x_T - x*||^2 stays above 1e-6 ||x_0 - x*||^2",
        outcome=Outcome.SUPPORTED if ratio >= 1e-6 else Outcome.REFUTED,
        statistic=ratio, bound=1e-6,
        evidence=f"mean ratio over the last records {ratio:.3g} after {steps} steps",
        provenance=f"gamma {gamma:.4g}, n={N}, d={D}, seed 0",
    )  # fmt: skip

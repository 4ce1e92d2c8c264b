r"""BSP-SGD in time on a strongly convex objective: E||x_T - x*||^2 falls as 1/T, no faster.

With the theorem's stepsize 2/(mu (a + t)), from the minimiser, on a quadratic with one curvature:
the exact variance is 4 (2T + 1) / (6 T (T + 1)) sigma^2 / (n mu^2), so the exponent -1 is tight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power
from proofs_check.instruments.study import Study, StudyResult, fitted, order_verdict
from theory.stepsizes import Stepsize
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing as theorem

_N, _D, _REPLICAS, _STEPS, _FIRST, _SEED = 4, 32, 256, 4096, 128, 61


def measure(build: Callable[[Stepsize], Method[Any]] = BSP) -> StudyResult:
    """The exponent of T from 128 to 4096 steps."""
    problem = Quadratic.strongly_convex(_N, _D, L=1.0, mu=1.0, sigma2=1.0, R2=0.0)
    step = theorem.stepsize(problem.constants(), _STEPS)
    trace = run(build(step), problem, steps=_STEPS, seed=_SEED, replicas=_REPLICAS, points=40)
    late = trace.steps >= _FIRST
    t, y = trace.steps[late].astype(np.float64), trace.squared_distance[:, late]
    fit = fit_power(t, y, ALPHA)
    verdict = order_verdict(
        theorem, "T", fit, theorem.tight, subject="bsp-sgd", problem=problem.name,
        claim="E||x_T - x*||^2 falls as 1/T (strongly convex, noise ruling)",
        told=f"seed {_SEED}, {_REPLICAS} replicas, {_STEPS} steps, n={_N}, {step}",
    )  # fmt: skip
    exact = 4 * (2 * t + 1) / (6 * t * (t + 1)) / _N
    return StudyResult((verdict,), (fitted(t, y, fit, exact),))


STUDY = Study(
    "bsp_time_strongly_convex",
    "bsp-sgd",
    "quadratic-sc",
    "1/T in the squared distance",
    "steps T",
    "E||x_T - x*||^2 [x^2]",
    measure,
)

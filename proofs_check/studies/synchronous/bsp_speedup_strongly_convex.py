r"""Linear speedup of BSP-SGD: at fixed T the squared distance is proportional to 1/n, n = 1 to 64.

From the minimiser, so that noise rules; the stepsize does not know n.
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

_WORKERS = (1, 2, 4, 8, 16, 32, 64)
_D, _REPLICAS, _STEPS, _SEED = 32, 128, 256, 63


def measure(build: Callable[[Stepsize], Method[Any]] = BSP) -> StudyResult:
    """The exponent of n from 1 to 64 workers."""
    columns = []
    for n in _WORKERS:
        problem = Quadratic.strongly_convex(n, _D, L=2.0, mu=0.5, sigma2=1.0, R2=0.0)
        step = theorem.stepsize(problem.constants(), _STEPS)
        trace = run(
            build(step), problem, steps=_STEPS, seed=_SEED + n, replicas=_REPLICAS, points=3
        )
        columns.append(trace.squared_distance[:, -1])
    x, y = np.array(_WORKERS, dtype=np.float64), np.stack(columns, axis=1)
    fit = fit_power(x, y, ALPHA)
    verdict = order_verdict(
        theorem, "n", fit, True, subject="bsp-sgd", problem="quadratic-sc",
        claim="linear speedup: E||x_T - x*||^2 ~ 1/n at fixed T, n from 1 to 64",
        told=f"seeds {_SEED} + n, {_REPLICAS} replicas, {_STEPS} steps",
    )  # fmt: skip
    return StudyResult((verdict,), (fitted(x, y, fit, y[:, 0].mean() / x),))


STUDY = Study(
    "bsp_speedup_strongly_convex",
    "bsp-sgd",
    "quadratic-sc",
    "1/n in the squared distance",
    "workers n",
    "E||x_T - x*||^2 [x^2]",
    measure,
)

r"""Speedup of BSP-SGD with gamma = g sqrt(n/T): the averaged squared gradient falls as n^{-1/2}.

On a quadratic with one curvature a = 1 both the start's R^2/(2 gamma T) and the noise's
gamma sigma^2 / (2n) are proportional to (n T)^{-1/2}; g = 1/4 keeps the corrections gamma/2 and
1/(4 gamma T) below 2 percent for n from 1 to 64.
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
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.bsp_nonconvex import bsp_nonconvex as theorem

_WORKERS = (1, 4, 16, 64)
_D, _REPLICAS, _STEPS, _SEED, _G = 16, 16, 4096, 64, 0.25


def measure(build: Callable[[Stepsize], Method[Any]] = BSP) -> StudyResult:
    """The exponent of n at 1, 4, 16, 64 workers."""
    columns, bounds = [], []
    for n in _WORKERS:
        problem = Quadratic.strongly_convex(n, _D, L=1.0, mu=1.0, sigma2=1.0, R2=_G**2)
        step = ConstantStep(_G * (n / _STEPS) ** 0.5)
        trace = run(
            build(step), problem, steps=_STEPS, seed=_SEED + n, replicas=_REPLICAS, points=3,
            every=1,
        )  # fmt: skip
        columns.append(trace.average_squared_gradient[:, -1])
        bounds.append(theorem.bound(problem.constants(), step, np.array([float(_STEPS)]))[0])
    x, y = np.array(_WORKERS, dtype=np.float64), np.stack(columns, axis=1)
    fit = fit_power(x, y, ALPHA)
    verdict = order_verdict(
        theorem, "n", fit, True, subject="bsp-sgd", problem="quadratic-sc",
        claim="speedup: (1/T) sum E||grad f||^2 ~ n^(-1/2) at gamma ~ sqrt(n/T), n from 1 to 64",
        told=f"seeds {_SEED} + n, {_REPLICAS} replicas, {_STEPS} steps",
    )  # fmt: skip
    return StudyResult((verdict,), (fitted(x, y, fit, np.array(bounds)),))


STUDY = Study(
    "bsp_speedup_nonconvex",
    "bsp-sgd",
    "quadratic-sc",
    "n^(-1/2) in the averaged squared gradient",
    "workers n",
    "(1/T) sum E||grad f(x_t)||^2 [(f/x)^2]",
    measure,
)

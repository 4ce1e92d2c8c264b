"""Studies: bsp speedup nonconvex, bsp speedup strongly convex, bsp time nonconvex, bsp time
strongly convex."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import PowerLawFit, fit_power
from proofs_check.instruments.study import StudyResult, fitted, order_verdict, study
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.bsp_nonconvex import bsp_nonconvex as theorem
from theory.theorems.bsp_strongly_convex_decreasing import (
    bsp_strongly_convex_decreasing as bsp_speedup_strongly_convex_theorem,
)
from theory.theorems.bsp_strongly_convex_decreasing import (
    bsp_strongly_convex_decreasing as bsp_time_strongly_convex_theorem,
)

# Speedup of BSP-SGD with gamma = g sqrt(n/T): the averaged squared gradient falls as n^{-1/2}.
#
# On a quadratic with one curvature a = 1 both the start's R^2/(2 gamma T) and the noise's
# gamma sigma^2 / (2n) are proportional to (n T)^{-1/2}; g = 1/4 keeps the corrections gamma/2 and
# 1/(4 gamma T) below 2 percent for n from 1 to 64.


_BSP_SPEEDUP_NONCONVEX_WORKERS = (1, 4, 16, 64)
(
    _BSP_SPEEDUP_NONCONVEX_D,
    _BSP_SPEEDUP_NONCONVEX_REPLICAS,
    _BSP_SPEEDUP_NONCONVEX_STEPS,
    _BSP_SPEEDUP_NONCONVEX_SEED,
    _G,
) = 16, 16, 4096, 64, 0.25


@study(
    "bsp-sgd",
    "quadratic-sc",
    "n^(-1/2) in the averaged squared gradient",
    "workers n",
    "(1/T) sum E||grad f(x_t)||^2 [(f/x)^2]",
)
def bsp_speedup_nonconvex_measure(build: Callable[[Stepsize], Method[Any]] = BSP) -> StudyResult:
    """The exponent of n at 1, 4, 16, 64 workers."""
    columns, bounds = [], []
    for n in _BSP_SPEEDUP_NONCONVEX_WORKERS:
        problem = Quadratic.strongly_convex(
            n, _BSP_SPEEDUP_NONCONVEX_D, L=1.0, mu=1.0, sigma2=1.0, R2=_G**2
        )
        step = ConstantStep(_G * (n / _BSP_SPEEDUP_NONCONVEX_STEPS) ** 0.5)
        trace = run(
            build(step),
            problem,
            steps=_BSP_SPEEDUP_NONCONVEX_STEPS,
            seed=_BSP_SPEEDUP_NONCONVEX_SEED + n,
            replicas=_BSP_SPEEDUP_NONCONVEX_REPLICAS,
            points=3,
            every=1,
        )
        columns.append(trace.average_squared_gradient[:, -1])
        bounds.append(
            theorem.bound(
                problem.constants(), step, np.array([float(_BSP_SPEEDUP_NONCONVEX_STEPS)])
            )[0]
        )
    x, y = np.array(_BSP_SPEEDUP_NONCONVEX_WORKERS, dtype=np.float64), np.stack(columns, axis=1)
    fit = fit_power(x, y, ALPHA)
    verdict = order_verdict(
        theorem,
        "n",
        fit,
        True,
        subject="bsp-sgd",
        problem="quadratic-sc",
        claim="speedup: (1/T) sum E||grad f||^2 ~ n^(-1/2) at gamma ~ sqrt(n/T), n from 1 to 64",
        description=(
            f"seeds {_BSP_SPEEDUP_NONCONVEX_SEED} + n, {_BSP_SPEEDUP_NONCONVEX_REPLICAS} "
            f"replicas, {_BSP_SPEEDUP_NONCONVEX_STEPS} steps"
        ),
    )
    return StudyResult((verdict,), (fitted(x, y, fit, np.array(bounds)),))


# Linear speedup of BSP-SGD: at fixed T the squared distance is proportional to 1/n, n = 1 to 64.
#
# From the minimiser, so that noise rules; the stepsize does not know n.


_BSP_SPEEDUP_STRONGLY_CONVEX_WORKERS = (1, 2, 4, 8, 16, 32, 64)
(
    _BSP_SPEEDUP_STRONGLY_CONVEX_D,
    _BSP_SPEEDUP_STRONGLY_CONVEX_REPLICAS,
    _BSP_SPEEDUP_STRONGLY_CONVEX_STEPS,
    _BSP_SPEEDUP_STRONGLY_CONVEX_SEED,
) = 32, 128, 256, 63


@study(
    "bsp-sgd", "quadratic-sc", "1/n in the squared distance", "workers n", "E||x_T - x*||^2 [x^2]"
)
def bsp_speedup_strongly_convex_measure(
    build: Callable[[Stepsize], Method[Any]] = BSP,
) -> StudyResult:
    """The exponent of n from 1 to 64 workers."""
    columns = []
    for n in _BSP_SPEEDUP_STRONGLY_CONVEX_WORKERS:
        problem = Quadratic.strongly_convex(
            n, _BSP_SPEEDUP_STRONGLY_CONVEX_D, L=2.0, mu=0.5, sigma2=1.0, R2=0.0
        )
        step = bsp_speedup_strongly_convex_theorem.stepsize(
            problem.constants(), _BSP_SPEEDUP_STRONGLY_CONVEX_STEPS
        )
        trace = run(
            build(step),
            problem,
            steps=_BSP_SPEEDUP_STRONGLY_CONVEX_STEPS,
            seed=_BSP_SPEEDUP_STRONGLY_CONVEX_SEED + n,
            replicas=_BSP_SPEEDUP_STRONGLY_CONVEX_REPLICAS,
            points=3,
        )
        columns.append(trace.squared_distance[:, -1])
    x, y = (
        np.array(_BSP_SPEEDUP_STRONGLY_CONVEX_WORKERS, dtype=np.float64),
        np.stack(columns, axis=1),
    )
    fit = fit_power(x, y, ALPHA)
    verdict = order_verdict(
        bsp_speedup_strongly_convex_theorem,
        "n",
        fit,
        True,
        subject="bsp-sgd",
        problem="quadratic-sc",
        claim="linear speedup: E||x_T - x*||^2 ~ 1/n at fixed T, n from 1 to 64",
        description=(
            f"seeds {_BSP_SPEEDUP_STRONGLY_CONVEX_SEED} + n, "
            f"{_BSP_SPEEDUP_STRONGLY_CONVEX_REPLICAS} replicas, "
            f"{_BSP_SPEEDUP_STRONGLY_CONVEX_STEPS} steps"
        ),
    )
    return StudyResult((verdict,), (fitted(x, y, fit, y[:, 0].mean() / x),))


# BSP-SGD over horizons with gamma ~ sqrt(n/T): the averaged squared gradient falls as T^{-1/2}.
#
# Each horizon is one batched run with the theorem's stepsize sqrt(2 n Delta / (L sigma^2 T)). On a
# quadratic with one curvature both terms of the bound scale so exactly, hence two-sided; with
# n R^2 / sigma^2 = 1/2 the corrections of relative order T^{-1/2} (the start's (gamma a)/2 and the
# noise's transient -1/(4 gamma a T)) cancel. On a non-convex objective the check is one-sided.


Build = Callable[[Stepsize], Method[Any]]

_N, _BSP_TIME_NONCONVEX_D, _BSP_TIME_NONCONVEX_REPLICAS, _BSP_TIME_NONCONVEX_SEED = 4, 16, 32, 62
_HORIZONS = np.array([256.0, 512.0, 1024.0, 2048.0, 4096.0])
_SHORT = np.array([128.0, 256.0, 512.0, 1024.0])


def over_horizons(
    build: Build, problem: Problem, horizons: Floats, replicas: int, seed: int
) -> Floats:
    """(1/T) sum_{t<T} ||grad f(x_t)||^2 at each horizon, ``[R, K]``; one batched run each."""
    columns = []
    for k, horizon in enumerate(horizons.astype(int).tolist()):
        step = theorem.stepsize(problem.constants(), horizon)
        trace = run(
            build(step), problem, steps=horizon, seed=seed + k, replicas=replicas, points=3, every=1
        )
        columns.append(trace.average_squared_gradient[:, -1])
    return np.stack(columns, axis=1)


def judge(problem: Problem, fit: PowerLawFit, tight: bool, description: str) -> Verdict:
    """The exponent of T against the theorem's order."""
    return order_verdict(
        theorem, "T", fit, tight, subject="bsp-sgd", problem=problem.name,
        description=f"{description}, n={_N}",
        claim="(1/T) sum E||grad f||^2 falls as T^(-1/2) at gamma ~ sqrt(n/T)",
    )  # fmt: skip


@study(
    "bsp-sgd",
    "quadratic-sc, nonconvex-breast-cancer",
    "T^(-1/2) in the averaged squared gradient",
    "horizon T [steps]",
    "(1/T) sum E||grad f(x_t)||^2 [(f/x)^2]",
)
def bsp_time_nonconvex_measure(build: Build = BSP) -> StudyResult:
    """Two-sided on the quadratic, one-sided on the non-convex logistic regression."""
    quadratic = Quadratic.strongly_convex(
        _N, _BSP_TIME_NONCONVEX_D, L=1.0, mu=1.0, sigma2=1.0, R2=0.5 / _N
    )
    y = over_horizons(
        build, quadratic, _HORIZONS, _BSP_TIME_NONCONVEX_REPLICAS, _BSP_TIME_NONCONVEX_SEED
    )
    fit = fit_power(_HORIZONS, y, ALPHA)
    description = (
        f"seeds {_BSP_TIME_NONCONVEX_SEED} on, {_BSP_TIME_NONCONVEX_REPLICAS} replicas, "
        f"horizons {_HORIZONS.astype(int).tolist()}"
    )
    tight = judge(quadratic, fit, True, description)
    logistic = entries.problem("nonconvex-breast-cancer", _N)
    z = over_horizons(
        build, logistic, _SHORT, _BSP_TIME_NONCONVEX_REPLICAS, _BSP_TIME_NONCONVEX_SEED + 10
    )
    description = (
        f"seeds {_BSP_TIME_NONCONVEX_SEED + 10} on, {_BSP_TIME_NONCONVEX_REPLICAS} replicas, "
        f"horizons {_SHORT.astype(int).tolist()}"
    )
    loose = judge(logistic, fit_power(_SHORT, z, ALPHA), False, description)
    bound = [
        theorem.bound(quadratic.constants(), theorem.stepsize(quadratic.constants(), int(T)), T)
        for T in _HORIZONS
    ]
    return StudyResult(
        (tight, loose), (fitted(_HORIZONS, y, fit, np.array(bound, dtype=np.float64)),)
    )


# BSP-SGD in time on a strongly convex objective: E||x_T - x*||^2 falls as 1/T, no faster.
#
# With the theorem's stepsize 2/(mu (a + t)), from the minimiser, on a quadratic with one curvature:
# the exact variance is 4 (2T + 1) / (6 T (T + 1)) sigma^2 / (n mu^2), so the exponent -1 is tight.


(
    _BSP_TIME_STRONGLY_CONVEX_D,
    _BSP_TIME_STRONGLY_CONVEX_REPLICAS,
    _BSP_TIME_STRONGLY_CONVEX_STEPS,
    _FIRST,
    _BSP_TIME_STRONGLY_CONVEX_SEED,
) = 32, 256, 4096, 128, 61


@study("bsp-sgd", "quadratic-sc", "1/T in the squared distance", "steps T", "E||x_T - x*||^2 [x^2]")
def bsp_time_strongly_convex_measure(build: Callable[[Stepsize], Method[Any]] = BSP) -> StudyResult:
    """The exponent of T from 128 to 4096 steps."""
    problem = Quadratic.strongly_convex(
        _N, _BSP_TIME_STRONGLY_CONVEX_D, L=1.0, mu=1.0, sigma2=1.0, R2=0.0
    )
    step = bsp_time_strongly_convex_theorem.stepsize(
        problem.constants(), _BSP_TIME_STRONGLY_CONVEX_STEPS
    )
    trace = run(
        build(step),
        problem,
        steps=_BSP_TIME_STRONGLY_CONVEX_STEPS,
        seed=_BSP_TIME_STRONGLY_CONVEX_SEED,
        replicas=_BSP_TIME_STRONGLY_CONVEX_REPLICAS,
        points=40,
    )
    late = trace.steps >= _FIRST
    t, y = trace.steps[late].astype(np.float64), trace.squared_distance[:, late]
    fit = fit_power(t, y, ALPHA)
    verdict = order_verdict(
        bsp_time_strongly_convex_theorem,
        "T",
        fit,
        bsp_time_strongly_convex_theorem.tight,
        subject="bsp-sgd",
        problem=problem.name,
        claim="E||x_T - x*||^2 falls as 1/T (strongly convex, noise ruling)",
        description=(
            f"seed {_BSP_TIME_STRONGLY_CONVEX_SEED}, {_BSP_TIME_STRONGLY_CONVEX_REPLICAS} "
            f"replicas, {_BSP_TIME_STRONGLY_CONVEX_STEPS} steps, n={_N}, {step}"
        ),
    )
    exact = 4 * (2 * t + 1) / (6 * t * (t + 1)) / _N
    return StudyResult((verdict,), (fitted(t, y, fit, exact),))

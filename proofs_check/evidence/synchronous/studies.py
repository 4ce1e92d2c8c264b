"""Studies of BSP-SGD: speedup in n and rate in T, strongly convex and not convex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.scaling import (
    ScalingLaw,
    ScalingRuns,
    average_gradient,
    last_distance,
    scaling,
)
from proofs_check.instruments.study import StudyResult, study
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import Theorem
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing

Build = Callable[[Stepsize], Method[Any]]

_N = 4
_DISTANCE, _GRADIENT = "E||x_T - x*||^2 [x^2]", "(1/T) sum E||grad f(x_t)||^2 [(f/x)^2]"


def _prescribed(theorem: Theorem, steps: int = 0) -> Callable[[Build, Problem, int], Method[Any]]:
    """The theorem's stepsize for ``steps`` steps, or for as many as the value (0)."""
    return lambda build, problem, value: build(
        theorem.stepsize(problem.constants(), steps or value)
    )


# Speedup of BSP-SGD with gamma = g sqrt(n/T): the averaged squared gradient falls as n^{-1/2}.
#
# On a quadratic with one curvature a = 1 both the start's R^2/(2 gamma T) and the noise's
# gamma sigma^2 / (2n) are proportional to (n T)^{-1/2}; g = 1/4 keeps the corrections gamma/2 and
# 1/(4 gamma T) below 2 percent for n from 1 to 64.

_G, _STEPS = 0.25, 4096


def _start_as_noise(n: int) -> Problem:
    return Quadratic.strongly_convex(n, 16, L=1.0, mu=1.0, sigma2=1.0, R2=_G**2)


def _root(n: float) -> ConstantStep:
    return ConstantStep(_G * (n / _STEPS) ** 0.5)


def _bounds(x: Floats, _: Floats) -> Floats:
    """Bound of the theorem at each number of workers."""
    horizon = np.array([float(_STEPS)])
    constants = [_start_as_noise(int(n)).constants() for n in x]
    return np.array(
        [bsp_nonconvex.bound(c, _root(n), horizon)[0] for n, c in zip(x, constants, strict=True)]
    )


bsp_speedup_nonconvex = scaling(
    "bsp_speedup_nonconvex", "n^(-1/2) in the averaged squared gradient", "workers n", _GRADIENT,
    ScalingLaw(
        "bsp-sgd", "quadratic-sc", "n", bsp_nonconvex, tight=True,
        claim="speedup: (1/T) sum E||grad f||^2 ~ n^(-1/2) at gamma ~ sqrt(n/T), n from 1 to 64",
    ),
    ScalingRuns(
        (1, 4, 16, 64), _start_as_noise, lambda build, _, n: build(_root(n)), steps=_STEPS,
        seeds=(65, 68, 80, 128), replicas=16, metric=average_gradient, every=1,
    ),
    BSP, _bounds,
)  # fmt: skip


# Linear speedup of BSP-SGD: at fixed T the squared distance is proportional to 1/n, n = 1 to 64.
#
# From the minimiser, so that noise rules; the stepsize does not know n.

bsp_speedup_strongly_convex = scaling(
    "bsp_speedup_strongly_convex", "1/n in the squared distance", "workers n", _DISTANCE,
    ScalingLaw(
        "bsp-sgd", "quadratic-sc", "n", bsp_strongly_convex_decreasing, tight=True,
        claim="linear speedup: E||x_T - x*||^2 ~ 1/n at fixed T, n from 1 to 64",
    ),
    ScalingRuns(
        (1, 2, 4, 8, 16, 32, 64),
        lambda n: Quadratic.strongly_convex(n, 32, L=2.0, mu=0.5, sigma2=1.0, R2=0.0),
        _prescribed(bsp_strongly_convex_decreasing, 256), steps=256,
        seeds=(64, 65, 67, 71, 79, 95, 127), replicas=128, metric=last_distance,
    ),
    BSP, lambda x, y: y[:, 0].mean() / x,
)  # fmt: skip


# BSP-SGD over horizons with gamma ~ sqrt(n/T): the averaged squared gradient falls as T^{-1/2}.
#
# Each horizon is one batched run with the theorem's stepsize sqrt(2 n Delta / (L sigma^2 T)). On a
# quadratic with one curvature both terms of the bound scale so exactly, hence two-sided; with
# n R^2 / sigma^2 = 1/2 the corrections of relative order T^{-1/2} (the start's (gamma a)/2 and the
# noise's transient -1/(4 gamma a T)) cancel. On a non-convex objective the check is one-sided.

_IN_T = ScalingLaw(
    "bsp-sgd", "quadratic-sc", "T", bsp_nonconvex, tight=True,
    claim="(1/T) sum E||grad f||^2 falls as T^(-1/2) at gamma ~ sqrt(n/T)",
)  # fmt: skip
_ON_QUADRATIC = ScalingRuns(
    (256, 512, 1024, 2048, 4096),
    lambda _: Quadratic.strongly_convex(_N, 16, L=1.0, mu=1.0, sigma2=1.0, R2=0.5 / _N),
    _prescribed(bsp_nonconvex), steps=None, seeds=range(62, 67), replicas=32,
    metric=average_gradient, every=1, note=f"n={_N}",
)  # fmt: skip
_ON_LOGISTIC = replace(
    _ON_QUADRATIC, values=(128, 256, 512, 1024), seeds=range(72, 76),
    problem=lambda _: entries.problem("nonconvex-breast-cancer", _N),
)  # fmt: skip


@study(
    "bsp-sgd", "quadratic-sc, nonconvex-breast-cancer", "T^(-1/2) in the averaged squared gradient",
    "horizon T [steps]", _GRADIENT,
)  # fmt: skip
def bsp_time_nonconvex(build: Build = BSP) -> StudyResult:
    """Two-sided on the quadratic, one-sided on the non-convex logistic regression."""
    runs, constants = _ON_QUADRATIC, _ON_QUADRATIC.problem(0).constants()
    bounds = [
        bsp_nonconvex.bound(constants, bsp_nonconvex.stepsize(constants, int(T)), T) for T in runs.x
    ]
    due = np.array(bounds, dtype=np.float64)
    tight = _IN_T.drawn(runs.x, runs.samples(build), runs.description, due)
    loose = replace(_IN_T, problem="nonconvex-breast-cancer", tight=False).judged(
        _ON_LOGISTIC.x, _ON_LOGISTIC.samples(build), _ON_LOGISTIC.description
    )
    return StudyResult((*tight.verdicts, loose), tight.curves)


# BSP-SGD in time on a strongly convex objective: E||x_T - x*||^2 falls as 1/T, no faster.
#
# With the theorem's stepsize 2/(mu (a + t)), from the minimiser, on a quadratic with one curvature:
# the exact variance is 4 (2T + 1) / (6 T (T + 1)) sigma^2 / (n mu^2), so the exponent -1 is tight.

_FIRST = 128


@study("bsp-sgd", "quadratic-sc", "1/T in the squared distance", "steps T", _DISTANCE)
def bsp_time_strongly_convex(build: Build = BSP) -> StudyResult:
    """The exponent of T from 128 to 4096 steps."""
    problem = Quadratic.strongly_convex(_N, 32, L=1.0, mu=1.0, sigma2=1.0, R2=0.0)
    step = bsp_strongly_convex_decreasing.stepsize(problem.constants(), _STEPS)
    trace = run(build(step), problem, steps=_STEPS, seed=61, replicas=256, points=40)
    late = trace.steps >= _FIRST
    t, y = trace.steps[late].astype(np.float64), trace.squared_distance[:, late]
    law = ScalingLaw(
        "bsp-sgd", problem.name, "T", bsp_strongly_convex_decreasing,
        tight=bsp_strongly_convex_decreasing.tight,
        claim="E||x_T - x*||^2 falls as 1/T (strongly convex, noise ruling)",
    )  # fmt: skip
    exact = 4 * (2 * t + 1) / (6 * t * (t + 1)) / _N
    return law.drawn(t, y, f"seed 61, 256 replicas, {_STEPS} steps, n={_N}, {step}", exact)

"""Studies of BSP-SGD: speedup in n and rate in T; the regret of SSP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.stale import SSP
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.regret import regrets
from proofs_check.instruments.scaling import (
    ScalingLaw,
    ScalingRuns,
    average_gradient,
    last_distance,
    scaling,
)
from proofs_check.instruments.study import StudyResult, study
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import Theorem
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.ssp_constant_step import ssp_constant_step as theorem

# BSP-SGD: speedup in n and rate in T, strongly convex and not convex.

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


# SSP's regret on logistic regression, gradient by gradient, under its bound.
#
# A parameter server adds every gradient undivided, times are exponential; the objective is
# without a regulariser and all samples have length 1, so that components are convex and
# 1-Lipschitz. A gradient's loss is that of its worker's whole shard at the view it was computed
# on: its mean over the minibatch, which does not depend on the view. Regret is against the
# minimiser of the regularised problem, any point being allowed.

SspBuild = Callable[[int], Barrier]

_SSP_N, _CLOCKS, _SEED = 8, 60, 171
_REPLICAS = 64  # a mean r times its bound is refuted by 31 / log r: 64 see 1.7 times the bound
_STALENESS = (0, 1, 4)
_COMPARED = 0.1  # regulariser of the point compared with


def setting(lead: int) -> tuple[Logistic, Tensor, Constants]:
    """The problem, the point it is compared with ``[d]``, and what the theorem needs."""
    data = breast_cancer(_SSP_N, L2(_COMPARED)).double()
    unit = replace(data, rows=data.rows / data.rows.norm(dim=-1, keepdim=True))
    problem, point = replace(unit, regulariser=L2(0.0)), unit.x_star
    assert point is not None
    square = float((problem.start() - point).square().sum())
    return problem, point, Constants(n=_SSP_N, lead=lead, lipschitz=1.0, R2=square, convex=True)


def regret(barrier: Barrier, lead: int, weighting: Weighting) -> tuple[Floats, Floats, float]:
    """Average regret ``[R, clocks]`` after whole clocks, its bound ``[clocks]``, the stepsize."""
    problem, point, c = setting(lead)
    step = theorem.stepsize(c, _CLOCKS * _SSP_N)
    ticks = (_CLOCKS + lead) * _SSP_N
    server = ParameterServer(step, ticks, Exponential(), barrier, weighting, replicas=_REPLICAS)
    found = regrets(
        server, problem, point, _CLOCKS * _SSP_N, seed=_SEED, replicas=_REPLICAS, ticks=ticks - 1
    )  # fmt: skip
    return found.average, theorem.bound(c, step, found.gradients), step(0)


@study(
    "ssp",
    "logistic regression, lam 0",
    "average regret of SSP stays under its bound for every lead",
    "gradients",
    "average regret",
    name="ssp_regret",
)
def measure(build: SspBuild = SSP, weighting: Weighting = Weighting.SUM) -> StudyResult:
    """Regret for three bounds on the lead."""
    verdicts: list[Verdict] = []
    curves: list[PanelLine] = []
    for lead in _STALENESS:
        series, bound, gamma = regret(build(lead), lead, weighting)
        verdicts.append(
            curve_under_bound(
                series, bound, ALPHA, subject="ssp", problem="logistic regression, lam 0",
                claim=f"s={lead}: average regret under {theorem.name}", floor=1e-13,
                provenance=f"{theorem.source}; {_SSP_N} workers, {series.shape[1]} clocks, "
                f"{_REPLICAS} replicas, seed {_SEED}, gamma={gamma:.4g}, error {ALPHA:g}",
            )
        )  # fmt: skip
        x = _SSP_N * np.arange(1.0, len(bound) + 1)
        curves += [
            PanelLine(f"s={lead}", x, *band(series)),
            PanelLine(f"s={lead} bound", x, bound, theory=True),
        ]
    return StudyResult(tuple(verdicts), curves)

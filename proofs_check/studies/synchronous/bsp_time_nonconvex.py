r"""BSP-SGD over horizons with gamma ~ sqrt(n/T): the averaged squared gradient falls as T^{-1/2}.

Each horizon is one batched run with the theorem's stepsize sqrt(2 n Delta / (L sigma^2 T)). On a
quadratic with one curvature both terms of the bound scale so exactly, hence two-sided; with
n R^2 / sigma^2 = 1/2 the corrections of relative order T^{-1/2} (the start's (gamma a)/2 and the
noise's transient -1/(4 gamma a T)) cancel. On a non-convex objective the check is one-sided.
"""

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
from proofs_check.instruments.study import Study, StudyResult, fitted, order_verdict
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import Stepsize
from theory.theorems.bsp_nonconvex import bsp_nonconvex as theorem

Build = Callable[[Stepsize], Method[Any]]

_N, _D, _REPLICAS, _SEED = 4, 16, 32, 62
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


def judge(problem: Problem, fit: PowerLawFit, tight: bool, told: str) -> Verdict:
    """The exponent of T against the theorem's order."""
    return order_verdict(
        theorem, "T", fit, tight, subject="bsp-sgd", problem=problem.name, told=f"{told}, n={_N}",
        claim="(1/T) sum E||grad f||^2 falls as T^(-1/2) at gamma ~ sqrt(n/T)",
    )  # fmt: skip


def measure(build: Build = BSP) -> StudyResult:
    """Two-sided on the quadratic, one-sided on the non-convex logistic regression."""
    quadratic = Quadratic.strongly_convex(_N, _D, L=1.0, mu=1.0, sigma2=1.0, R2=0.5 / _N)
    y = over_horizons(build, quadratic, _HORIZONS, _REPLICAS, _SEED)
    fit = fit_power(_HORIZONS, y, ALPHA)
    told = f"seeds {_SEED} on, {_REPLICAS} replicas, horizons {_HORIZONS.astype(int).tolist()}"
    tight = judge(quadratic, fit, True, told)
    logistic = entries.problem("nonconvex-breast-cancer", _N)
    z = over_horizons(build, logistic, _SHORT, _REPLICAS, _SEED + 10)
    told = f"seeds {_SEED + 10} on, {_REPLICAS} replicas, horizons {_SHORT.astype(int).tolist()}"
    loose = judge(logistic, fit_power(_SHORT, z, ALPHA), False, told)
    bound = [
        theorem.bound(quadratic.constants(), theorem.stepsize(quadratic.constants(), int(T)), T)
        for T in _HORIZONS
    ]
    return StudyResult(
        (tight, loose), (fitted(_HORIZONS, y, fit, np.array(bound, dtype=np.float64)),)
    )


STUDY = Study(
    "bsp_time_nonconvex",
    "bsp-sgd",
    "quadratic-sc, nonconvex-breast-cancer",
    "T^(-1/2) in the averaged squared gradient",
    "horizon T [steps]",
    "(1/T) sum E||grad f(x_t)||^2 [(f/x)^2]",
    measure,
)

"""Studies: local speedup, speedup by moments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.base import Problem
from proofs_check.evidence.local_updates.closed_forms_law import LocalLaw, TwoKinds
from proofs_check.evidence.local_updates.studies import skewed
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.speedup_search import Longest, longest_period
from proofs_check.instruments.speedup_verdicts import (
    SpeedupGrid,
    against_law,
    error_ratio,
    scan_both,
    scan_with_law,
)
from proofs_check.instruments.study import StudyResult, fitted, study
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize
from theory.survey.speedup_rounds import rounds

# Local SGD speeds up linearly for H up to sqrt(T/n): E||xbar_T - x*||^2 ~ 1/(nT), near H = 1.
#
# Strongly convex logistic regression, equal workers, \gamma_t = c/(a + t), from the minimiser, with
# H = floor(\sqrt{T/n}) (Stich 2018, arXiv:1805.09767, Theorem 2.2: the leading term is
# \sigma^2 / (\mu n T) while H = O(\sqrt{T/n})). The error stays within 1.5 times that of H = 1 with
# the same draws, and falls as 1/n and as 1/(T + a).


_HORIZONS = (128, 512, 2048)
_WORKERS = (2, 4, 8, 16, 32)
_N, _STEPS = 4, 1024
_LOCAL_SPEEDUP_REPLICAS, _LOCAL_SPEEDUP_SEED, _GROUPS, _WITHIN = 256, 157, 32, 1.5
_STEP = InverseTimeStep(64.0, 40.0)

Build = Callable[[Stepsize, int], Method[Any]]


@study(
    "local-sgd",
    "skewed logistic",
    "1/(nT) for H up to sqrt(T/n)",
    f"workers n (T = {_STEPS}, H = floor(sqrt(T/n)))",
    "E||xbar_T - x*||^2 [x^2]",
)
def local_speedup_measure(build: Build = LocalSGD) -> StudyResult:
    """Ratios to H = 1 at every (n, T), and the exponents of n and T + a."""
    along_t, along_n = (
        [(_N, t) for t in _HORIZONS],
        [(n, _STEPS) for n in _WORKERS],
    )
    local = {at: _errors(build, *at, _longest(*at)) for at in (*along_t, *along_n)}
    bulk = {at: _errors(LocalSGD, *at, 1) for at in local}
    x, shifted = (
        np.array(_WORKERS, dtype=np.float64),
        np.array(_HORIZONS) + _STEP.shift,
    )
    by_n = np.stack([local[at] for at in along_n], axis=1)
    by_t = np.stack([local[at] for at in along_t], axis=1)
    fit = fit_power(x, by_n, ALPHA, groups=_GROUPS)
    verdicts = (
        *(_ratio(at, local[at], bulk[at]) for at in local),
        rate_verdict(
            fit,
            -1.0,
            False,
            subject="local-sgd",
            variable="n",
            problem="skewed logistic",
            claim="linear speedup with H = floor(sqrt(T/n)): the error falls as 1/n",
            provenance=_LOCAL_SPEEDUP_TOLD,
        ),
        rate_verdict(
            fit_power(shifted, by_t, ALPHA, groups=_GROUPS),
            -1.0,
            False,
            subject="local-sgd",
            variable="(T + a)",
            problem="skewed logistic",
            provenance=_LOCAL_SPEEDUP_TOLD,
            claim="with H = floor(sqrt(T/n)) the error falls as 1/T",
        ),
    )
    reference = np.stack([bulk[at] for at in along_n], axis=1).mean(axis=0)
    return StudyResult(verdicts, (fitted(x, by_n, fit, reference),))


_LOCAL_SPEEDUP_TOLD = (
    f"Stich 2018, Theorem 2.2; seeds {_LOCAL_SPEEDUP_SEED} + n + T, "
    f"{_LOCAL_SPEEDUP_REPLICAS} replicas, from x*, gamma_t = "
    f"64/(40 + t), n={_N} along T, T={_STEPS} along n, error {ALPHA:g}"
)


def _longest(n: int, steps: int) -> int:
    return math.isqrt(steps // n)


def _errors(build: Build, n: int, steps: int, period: int) -> Floats:
    problem: Problem = skewed(n)
    trace = run(
        build(_STEP, period),
        problem,
        steps=steps,
        seed=_LOCAL_SPEEDUP_SEED + n + steps,
        replicas=_LOCAL_SPEEDUP_REPLICAS,
        points=2,
        x0=problem.x_star,
    )
    return trace.squared_distance[:, -1]


def _ratio(at: tuple[int, int], local: Floats, bulk: Floats) -> Verdict:
    n, steps = at
    return error_ratio(
        local,
        bulk,
        _WITHIN,
        subject="local-sgd",
        problem="skewed logistic",
        description=_LOCAL_SPEEDUP_TOLD,
        claim=f"H = {_longest(n, steps)} keeps the error within {_WITHIN:g} of H = 1, n={n}, "
        f"T={steps}",
    )


# Rounds for linear speedup of PR-SGD and CoCoD-SGD, measured and by the exact moments.


_D, _SPEEDUP_BY_MOMENTS_REPLICAS, _SPEEDUP_BY_MOMENTS_SEED, _L = 32, 64, 143, 1.0
_EVERY = 5  # steps between looks at the gradient
_PLACE = "two kinds of worker"
GRID = SpeedupGrid(horizons=(512, 2048, 8192), workers=(2, 4, 8, 16), middle=1024)
FAR = SpeedupGrid(horizons=(2**28, 2**34, 2**40), workers=(2, 8, 32), middle=2**40)


def _kinds(n: int) -> TwoKinds:
    return TwoKinds(n, 0.2, 0.5, 1.0)


def _gamma(n: int, steps: int) -> float:
    return math.sqrt(n / steps) / _L


def _guess(n: int, steps: int) -> float:
    return 6.0 * math.sqrt(math.sqrt(steps / n)) / math.sqrt(n)


def exact(n: int, steps: int, guess: int, overlapped: bool = False) -> Longest:
    """The longest period by the exact moments."""

    def errors(period: int) -> Floats:
        law = LocalLaw(_kinds(n), _gamma(n, steps), period, overlapped)
        return np.full(2, law.average_squared_gradient(steps))

    return longest_period(errors, guess, steps)


def speedup_by_moments_measure(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
    grid: SpeedupGrid = GRID,
    *,
    overlapped: bool = False,
    subject: str = "pr-sgd",
    source: str = "Yu, Yang, Zhu 2018, corollary of Theorem 1: H <= T^(1/4) / n^(3/4)",
) -> StudyResult:
    """Exponents of T and n in T / H*: measured, exact on the same range, and exact far out."""

    def search(n: int, steps: int, guess: int) -> Longest:
        problem, step = _kinds(n).problem(_D), ConstantStep(_gamma(n, steps))

        def errors(period: int) -> Floats:
            trace = run(
                build(step, period),
                problem,
                steps=steps,
                seed=_SPEEDUP_BY_MOMENTS_SEED + steps + n,
                replicas=_SPEEDUP_BY_MOMENTS_REPLICAS,
                points=2,
                every=_EVERY,
            )
            return trace.average_squared_gradient[:, -1]

        return longest_period(errors, guess, steps)

    def law(n: int, steps: int, guess: int) -> Longest:
        return exact(n, steps, guess, overlapped)

    return against_law(
        *scan_with_law(grid, search, law, _guess),
        scan_both(FAR, law, _guess),
        rounds("pr-sgd").exponents,
        left=0.005,
        subject=subject,
        problem=_PLACE,
        description=f"{source}; seed {_SPEEDUP_BY_MOMENTS_SEED} + T + n, "
        f"{_SPEEDUP_BY_MOMENTS_REPLICAS} replicas of {_D} coordinates, "
        f"n={grid.workers[0]} along T, T={grid.middle} along n",
    )

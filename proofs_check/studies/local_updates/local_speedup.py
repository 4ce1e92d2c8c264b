r"""Local SGD speeds up linearly for H up to sqrt(T/n): E||xbar_T - x*||^2 ~ 1/(nT), near H = 1.

Strongly convex logistic regression, equal workers, \gamma_t = c/(a + t), from the minimiser, with
H = floor(\sqrt{T/n}) (Stich 2018, arXiv:1805.09767, Theorem 2.2: the leading term is
\sigma^2 / (\mu n T) while H = O(\sqrt{T/n})). The error stays within 1.5 times that of H = 1 with
the same draws, and falls as 1/n and as 1/(T + a).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.base import Problem
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult, fitted
from proofs_check.studies.local_updates.settings import skewed
from proofs_check.studies.shared.speedup_verdicts import error_ratio
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import InverseTimeStep, Stepsize

_HORIZONS = (128, 512, 2048)
_WORKERS = (2, 4, 8, 16, 32)
_N, _STEPS = 4, 1024
_REPLICAS, _SEED, _GROUPS, _WITHIN = 256, 157, 32, 1.5
_STEP = InverseTimeStep(64.0, 40.0)

Build = Callable[[Stepsize, int], Method[Any]]


def measure(build: Build = LocalSGD) -> StudyResult:
    """Ratios to H = 1 at every (n, T), and the exponents of n and T + a."""
    along_t, along_n = ([(_N, t) for t in _HORIZONS], [(n, _STEPS) for n in _WORKERS])
    local = {at: _errors(build, *at, _longest(*at)) for at in (*along_t, *along_n)}
    bulk = {at: _errors(LocalSGD, *at, 1) for at in local}
    x, shifted = np.array(_WORKERS, dtype=np.float64), np.array(_HORIZONS) + _STEP.shift
    by_n = np.stack([local[at] for at in along_n], axis=1)
    by_t = np.stack([local[at] for at in along_t], axis=1)
    fit = fit_power(x, by_n, ALPHA, groups=_GROUPS)
    verdicts = (
        *(_ratio(at, local[at], bulk[at]) for at in local),
        rate_verdict(
            fit, -1.0, False, subject="local-sgd", variable="n", problem="skewed logistic",
            claim="linear speedup with H = floor(sqrt(T/n)): the error falls as 1/n",
            provenance=_TOLD,
        ),
        rate_verdict(
            fit_power(shifted, by_t, ALPHA, groups=_GROUPS), -1.0, False, subject="local-sgd",
            variable="(T + a)", problem="skewed logistic", provenance=_TOLD,
            claim="with H = floor(sqrt(T/n)) the error falls as 1/T",
        ),
    )  # fmt: skip
    reference = np.stack([bulk[at] for at in along_n], axis=1).mean(axis=0)
    return StudyResult(verdicts, (fitted(x, by_n, fit, reference),))


_TOLD = (
    f"Stich 2018, Theorem 2.2; seeds {_SEED} + n + T, {_REPLICAS} replicas, from x*, gamma_t = "
    f"64/(40 + t), n={_N} along T, T={_STEPS} along n, error {ALPHA:g}"
)


def _longest(n: int, steps: int) -> int:
    return math.isqrt(steps // n)


def _errors(build: Build, n: int, steps: int, period: int) -> Floats:
    problem: Problem = skewed(n)
    trace = run(
        build(_STEP, period), problem, steps=steps, seed=_SEED + n + steps, replicas=_REPLICAS,
        points=2, x0=problem.x_star,
    )  # fmt: skip
    return trace.squared_distance[:, -1]


def _ratio(at: tuple[int, int], local: Floats, bulk: Floats) -> Verdict:
    n, steps = at
    return error_ratio(
        local, bulk, _WITHIN, subject="local-sgd", problem="skewed logistic", told=_TOLD,
        claim=f"H = {_longest(n, steps)} keeps the error within {_WITHIN:g} of H = 1, n={n}, "
        f"T={steps}",
    )  # fmt: skip


STUDY = Study(
    "local_speedup",
    "local-sgd",
    "skewed logistic",
    "1/(nT) for H up to sqrt(T/n)",
    f"workers n (T = {_STEPS}, H = floor(sqrt(T/n)))",
    "E||xbar_T - x*||^2 [x^2]",
    measure,
)

r"""Local SGD's variance does not depend on the period: order H^0, two-sided.

Workers draw gradients of one quadratic; after 256 steps of constant stepsize from the minimiser
the squared distance of the averaged model is the same for every H (Stich 2018, arXiv:1805.09767:
the leading term sigma^2/(mu n T) is free of H).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult, fitted
from theory.stepsizes import ConstantStep, Stepsize

_PERIODS = (1, 2, 4, 8, 16)
_N, _D, _REPLICAS, _STEPS, _SEED, _GAMMA = 8, 16, 256, 256, 71, 0.05


def measure(build: Callable[[Stepsize, int], Method[Any]] = LocalSGD) -> StudyResult:
    """The exponent of H from 1 to 16, independent seeds."""
    problem = Quadratic.strongly_convex(_N, _D, L=1.0, mu=0.5, sigma2=1.0, R2=0.0)
    columns = []
    for period in _PERIODS:
        trace = run(
            build(ConstantStep(_GAMMA), period),
            problem,
            steps=_STEPS,
            seed=_SEED + period,
            replicas=_REPLICAS,
            points=3,
        )
        columns.append(trace.squared_distance[:, -1])
    x, y = np.array(_PERIODS, dtype=np.float64), np.stack(columns, axis=1)
    fit = fit_power(x, y, ALPHA)
    verdict = rate_verdict(
        fit,
        0.0,
        True,
        subject="local-sgd",
        problem=problem.name,
        variable="H",
        claim="the variance term is unaffected by the period H (identical workers)",
        provenance=f"Stich 2018, Theorem 2.2; seeds {_SEED} + H, {_REPLICAS} replicas, {_STEPS} "
        f"steps, n={_N}, gamma {_GAMMA}, error {ALPHA:g}",
    )
    return StudyResult((verdict,), (fitted(x, y, fit, _stationary(problem) * np.ones_like(x)),))


def _stationary(problem: Quadratic) -> float:
    """gamma sigma^2/(n d) sum_j (1 - q_j^(2T)) / (a_j (2 - gamma a_j)), q_j = 1 - gamma a_j."""
    a = problem.a[0].numpy()
    left = 1 - (1 - _GAMMA * a) ** (2 * _STEPS)
    return float((left / (a * (2 - _GAMMA * a))).sum()) * _GAMMA / (_N * _D)


STUDY = Study(
    "local_period_variance",
    "local-sgd",
    "quadratic-sc",
    "H^0 in the variance",
    "period H [steps]",
    "E||xbar_T - x*||^2 [x^2]",
    measure,
)

r"""The residual of error feedback against delta: E||e_t||^2 <= 4 (1-delta)/delta^2 gamma^2 G^2.

(Karimireddy et al. 2019, arXiv:1901.09847, Lemma 3.) Top-k on the non-convex logistic regression,
whose gradients are bounded by G everywhere; the exponent of 1/delta is at most 2.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor

from algorithms.compressors.top_k import TopK
from algorithms.memories.base import Memory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems import entries
from algorithms.problems.base import Problem
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import StudyResult, fitted, study
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import Outcome
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_KEPT = (15, 8, 3, 2, 1)
_N, _REPLICAS, _STEPS, _SEED, _GAMMA = 2, 48, 300, 81, 0.1


def residuals(memory: Memory[Tensor], problem: Problem, k: int) -> Floats:
    """max over t and workers of the replica's ||e_t||^2, ``[R]``."""
    method = BSP(ConstantStep(_GAMMA), TopK(k), memory)
    moments = path(method, problem, _STEPS, seed=_SEED + k, replicas=_REPLICAS)
    largest = np.zeros(_REPLICAS)
    for moment in moments:
        norms = moment.state.memory.square().sum(-1).amax(-1)
        largest = np.maximum(largest, norms.numpy())
    return largest


@study(
    "error-feedback",
    "nonconvex-breast-cancer",
    "delta^-2 in the residual",
    "1 / delta = d/k",
    "max_t E||e_t||^2 [x^2]",
    name="ef_residual",
)
def measure(memory: Memory[Tensor] | None = None) -> StudyResult:
    """Residuals under the lemma's bound for every delta, and their exponent of 1/delta."""
    memory = memory or ErrorFeedback()
    problem = entries.problem("nonconvex-breast-cancer", _N)
    G2 = problem.constants().need("G2")
    delta = np.array(_KEPT) / problem.d
    y = np.stack([residuals(memory, problem, k) for k in _KEPT], axis=1)
    bound = 4 * (1 - delta) / delta**2 * _GAMMA**2 * G2
    description = f"seeds {_SEED} + k, {_REPLICAS} replicas, {_STEPS} steps, n={_N}, gamma {_GAMMA}"
    source = f"Karimireddy et al. 2019, Lemma 3; {description}, error {ALPHA:g}"
    under = curve_under_bound(
        y, bound, ALPHA, claim="E max_t ||e_t||^2 <= 4 (1-delta)/delta^2 gamma^2 G^2, top-k",
        provenance=source, subject="error-feedback", problem=problem.name,
    )  # fmt: skip
    if under.outcome is Outcome.REFUTED:
        return StudyResult((under,))
    fit = fit_power(1 / delta, y, ALPHA)
    rate = rate_verdict(
        fit, 2.0, False, variable="1/delta", claim="the residual grows no faster than delta^-2",
        provenance=source, subject="error-feedback", problem=problem.name,
    )  # fmt: skip
    return StudyResult((under, rate), (fitted(1 / delta, y, fit, bound),))

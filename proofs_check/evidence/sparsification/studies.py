r"""Error feedback leaves the leading term alone: delta acts on a term of order T^-2 only.

MEM-SGD (Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599) with top-k, k/d = 1/4, 1/10, 1/20, on a
strongly convex quadratic from the minimiser, gamma_t = 2/(mu (a + t)); equal draws with and without
compression, so that the excess is a paired difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.memories.base import Memory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import StudyResult, fitted, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import InverseTimeStep

_D, _REPLICAS, _STEPS, _SEED, _SHIFT = 20, 1024, 1024, 82, 10.0
_FIRST, _LAST = 24, 256  # where the excess is well above its noise
_KEPT = (5, 2, 1)
_NEAR = 0.02  # how far from the uncompressed error the last step may lie


@study(
    "top-k",
    "quadratic-sc",
    "delta^0 in the leading term",
    "steps T",
    "excess of E||x_T - x*||^2 over the uncompressed [x^2]",
    name="ef_leading",
)
def measure(memory: Memory[Tensor] | None = None) -> StudyResult:
    """Ratios to the uncompressed error at the last step, and the exponent of the worst excess."""
    memory = memory or ErrorFeedback()
    problem = Quadratic.strongly_convex(2, _D, L=1.0, mu=1.0, sigma2=1.0, R2=0.0)
    step = InverseTimeStep(2.0, _SHIFT)
    t, plain = _distances(BSP(step, Identity(), ErrorFeedback()), problem)
    verdicts, excess = [], plain
    for k in _KEPT:
        _, y = _distances(BSP(step, TopK(k), memory), problem)
        verdicts.append(_ratio(problem, k, y[:, -1], plain[:, -1]))
        excess = y - plain
    early = t <= _LAST
    t, excess, plain = t[early], excess[:, early], plain[:, early]
    fit = fit_power(t, excess, ALPHA)
    verdicts.append(
        rate_verdict(
            fit,
            -1.0 - 0.5,
            False,
            subject="top-k",
            problem=problem.name,
            claim="what compression adds (k/d = 1/20) falls faster than the leading 1/T",
            provenance=f"Stich et al. 2018, Theorem 2.4 (order T^-2; asserted: at most T^-1.5); "
            f"{_described()}",
        )
    )
    reference = plain.mean(axis=0)
    return StudyResult(tuple(verdicts), (fitted(t, excess, fit, reference),))


def _distances(method: Method[Any], problem: Quadratic) -> tuple[Floats, Floats]:
    trace = run(method, problem, steps=_STEPS, seed=_SEED, replicas=_REPLICAS, points=60)
    late = trace.steps >= _FIRST
    return trace.steps[late].astype(np.float64), trace.squared_distance[:, late]


def _ratio(problem: Quadratic, k: int, y: Floats, plain: Floats) -> Verdict:
    """E||x - x*||^2 against the uncompressed one at the last step, paired."""
    base = float(plain.mean())
    ratio = float(y.mean()) / base
    residual = y - ratio * plain
    half = (
        float(scipy.stats.t.isf(ALPHA / 2, y.size - 1) * residual.std(ddof=1)) / y.size**0.5 / base
    )
    return Verdict(
        subject="top-k",
        problem=problem.name,
        claim=f"leading term unaffected by delta = {k}/{_D}: within {_NEAR:.0%} at T = {_STEPS}",
        check="equal leading terms",
        outcome=Outcome.SUPPORTED if abs(ratio - 1) - half <= _NEAR else Outcome.REFUTED,
        statistic=ratio,
        bound=1.0,
        uncertainty=half,
        resolution=2 * half,
        evidence=f"E||x_T - x*||^2 with top-{k} is {ratio:.4f} +- {half:.2g} of the uncompressed",
        provenance=_described(),
    )


def _described() -> str:
    return (
        f"seed {_SEED}, {_REPLICAS} replicas, {_STEPS} steps, n=2, gamma_t = 2/({_SHIFT:g} + t), "
        f"equal draws, error {ALPHA:g}"
    )

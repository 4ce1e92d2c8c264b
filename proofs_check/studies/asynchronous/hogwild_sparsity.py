r"""What inconsistent reads cost Hogwild falls as supports get sparser, at the same delays.

Samples have k of d coordinates, entries 1/sqrt(k), random supports: two of them share k/d of their
places on average, and the top eigenvalue of the Hessian is k/d, nearly. The penalty is the excess
f - f* over the second half of a run with 32 workers, divided by that of one. Niu et al. 2011
(arXiv:1106.5730) state a factor 1 + 6 tau rho + 6 tau^2 Omega sqrt(Delta) in numbers that fall with
the supports; only the direction is asserted here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.base import Method
from algorithms.problems.sparse_linear import SparseLinear
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.curves import BAND_ERRORS, PanelLine
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import models
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[[Hogwild], Method[Any]]

_D, _SAMPLES, _WORKERS, _TICKS, _REPLICAS = 64, 512, 32, 800, 32
_SUPPORTS = (1, 4, 16, 32, 48)
_TREND = 0.9  # rank correlation: two neighbours may change places
_GAMMA, _NOISE = 0.5, 2.0
_ROW, _PROBLEM = "hogwild", "sparse-linear"


def measure(
    build: Build = lambda hogwild: hogwild, supports: tuple[int, ...] = _SUPPORTS
) -> StudyResult:
    """Penalties of delay for each size of support."""
    excess = [np.stack([_excess(build, n, k) for n in (1, _WORKERS)]) for k in supports]
    penalty = np.array([e[1].mean() / e[0].mean() for e in excess])
    spread = np.array([_relative(e) for e in excess]) * penalty
    tau = Hogwild(ConstantStep(_GAMMA), _TICKS, Exponential()).schedule(_WORKERS)
    told = (
        f"{_WORKERS} workers, largest staleness {tau.tau}, d = {_D}, gamma = {_GAMMA}, {_TICKS} "
        f"ticks, {_REPLICAS} replicas, seed 0, error {ALPHA:g}"
    )
    share = np.array(supports) / _D
    error = BAND_ERRORS * spread
    drawn = [
        PanelLine("inconsistent reads", share, penalty, penalty - error, penalty + error),
        PanelLine("no delay", share, np.ones_like(share)),
    ]
    return StudyResult(
        (_falls(supports, penalty, spread, told), _ordered(supports, penalty, told)), drawn
    )


def _excess(build: Build, n: int, support: int) -> Floats:
    """f - f* over the second half of each replica's run ``[R]``."""
    problem = SparseLinear.overlapping(n, _SAMPLES, _D, support, noise=_NOISE)
    method = build(Hogwild(ConstantStep(_GAMMA), _TICKS, Exponential(), replicas=_REPLICAS))
    x = models(method, problem, _TICKS, replicas=_REPLICAS)[_TICKS // 2 :]
    return np.asarray((problem.value(x) - problem.f_star).mean(0).numpy())


def _relative(e: Floats) -> float:
    """Relative standard error of the ratio of means of ``[2, R]``."""
    parts = e.var(axis=1, ddof=1) / e.shape[1] / e.mean(axis=1) ** 2
    return float(parts.sum() ** 0.5)


def _falls(supports: tuple[int, ...], penalty: Floats, spread: Floats, told: str) -> Verdict:
    fall = float(penalty[-1] - penalty[0])
    half = float(scipy.stats.t.isf(ALPHA, _REPLICAS - 1) * np.hypot(spread[0], spread[-1]))
    return Verdict(
        claim="the penalty of delay falls with sparsity", check="penalty of delay",
        outcome=Outcome.SUPPORTED if fall > half else Outcome.REFUTED, statistic=fall, bound=0.0,
        uncertainty=half, resolution=half,
        evidence=f"excess {penalty[-1]:.3f} times that of one worker on supports of "
        f"{supports[-1]}, {penalty[0]:.3f} times on {supports[0]}: {fall:.3f} +- {half:.2g}",
        provenance=told, subject=_ROW, problem=_PROBLEM,
    )  # fmt: skip


def _ordered(supports: tuple[int, ...], penalty: Floats, told: str) -> Verdict:
    trend = float(scipy.stats.spearmanr(supports, penalty).statistic)
    listed = ", ".join(f"{k}: {p:.3f}" for k, p in zip(supports, penalty, strict=True))
    return Verdict(
        claim="the penalty rises with the support", check="trend of the penalty",
        outcome=Outcome.SUPPORTED if trend >= _TREND else Outcome.REFUTED, statistic=trend,
        bound=_TREND,
        evidence=f"rank correlation {trend:.2f}; penalties by support {listed}", provenance=told,
        subject=_ROW, problem=_PROBLEM,
    )  # fmt: skip


STUDY = Study(
    "hogwild_sparsity",
    "hogwild",
    "sparse-linear",
    "the penalty of delay falls with sparsity",
    "share of coordinates in a sample, k / d",
    "excess f - f*, relative to one worker",
    measure,
)

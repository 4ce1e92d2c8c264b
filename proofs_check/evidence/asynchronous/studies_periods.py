"""Studies: downpour periods, hogwild sparsity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.base import Method
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.sparse_linear import SparseLinear
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.curves import BAND_ERRORS, PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import models
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

# What Downpour's two periods cost: error against n_fetch and against n_push.
#
# Dean et al. 2012 (NIPS) fetch and push at periods of their own and state no theorem. With n_push =
# 1 and n_fetch growing, workers compute on their own older models and the server sums what they
# make of them; with n_fetch = 1 and n_push growing, gradients arrive late and together. The excess
# f - f* over the second half of a run of as many gradients is measured on a noisy quadratic.


DownpourPeriodsBuild = Callable[[Downpour], Method[Any]]

_PERIODS = (1, 2, 4, 6, 8)  # by 16 some runs have left the stable region
(
    _DOWNPOUR_PERIODS_WORKERS,
    _DOWNPOUR_PERIODS_TICKS,
    _DOWNPOUR_PERIODS_REPLICAS,
    _DOWNPOUR_PERIODS_GAMMA,
    _DOWNPOUR_PERIODS_SEED,
) = 8, 600, 48, 0.05, 4
_DOWNPOUR_PERIODS_ROW, _DOWNPOUR_PERIODS_PROBLEM = "downpour", "quadratic-sc"


@study(
    _DOWNPOUR_PERIODS_ROW,
    _DOWNPOUR_PERIODS_PROBLEM,
    "the error grows with both of Downpour's periods",
    "gradients between fetches, or between pushes",
    "f(x_t) - f*, second half of the run",
)
def downpour_periods_measure(
    build: DownpourPeriodsBuild = lambda downpour: downpour, periods: tuple[int, ...] = _PERIODS
) -> StudyResult:
    """Excess against each period, the other being one."""
    lines = {
        "fetch every n": np.stack([_downpour_periods_excess(build, 1, p) for p in periods], axis=1),
        "push every n": np.stack([_downpour_periods_excess(build, p, 1) for p in periods], axis=1),
    }
    verdicts = tuple(_grows(label, e, periods) for label, e in lines.items())
    drawn: list[PanelLine] = []
    for label, e in lines.items():
        drawn.append(PanelLine(label, np.array(periods, dtype=np.float64), *band(e)))
    return StudyResult(verdicts, drawn)


def _downpour_periods_excess(build: DownpourPeriodsBuild, n_push: int, n_fetch: int) -> Floats:
    """f - f* over the second half of each replica's run ``[R]``."""
    problem = Quadratic.strongly_convex(
        _DOWNPOUR_PERIODS_WORKERS, 8, L=1.0, mu=0.1, sigma2=1.0, R2=1.0
    )
    method = build(
        Downpour(
            ConstantStep(_DOWNPOUR_PERIODS_GAMMA),
            _DOWNPOUR_PERIODS_TICKS,
            Exponential(),
            n_push,
            n_fetch,
            replicas=_DOWNPOUR_PERIODS_REPLICAS,
        )
    )
    x = models(
        method,
        problem,
        _DOWNPOUR_PERIODS_TICKS,
        seed=_DOWNPOUR_PERIODS_SEED,
        replicas=_DOWNPOUR_PERIODS_REPLICAS,
    )[_DOWNPOUR_PERIODS_TICKS // 2 :]
    return np.asarray((problem.value(x) - problem.f_star).mean(0).numpy())


def _grows(label: str, e: Floats, periods: tuple[int, ...]) -> Verdict:
    """The error at the longest period against that at one."""
    rise = e[:, -1] - e[:, 0]
    half = (
        float(scipy.stats.t.isf(ALPHA, _DOWNPOUR_PERIODS_REPLICAS - 1) * rise.std(ddof=1))
        / _DOWNPOUR_PERIODS_REPLICAS**0.5
    )
    one = float(e[:, 0].mean())
    listed = ", ".join(f"{p}: {m / one:.3f}" for p, m in zip(periods, e.mean(axis=0), strict=True))
    return Verdict(
        subject=_DOWNPOUR_PERIODS_ROW,
        problem=_DOWNPOUR_PERIODS_PROBLEM,
        claim=f"error grows with the period: {label}",
        check="cost of a period",
        outcome=Outcome.SUPPORTED if rise.mean() > half else Outcome.REFUTED,
        statistic=float(rise.mean()) / one,
        bound=0.0,
        uncertainty=half / one,
        resolution=half / one,
        evidence=f"excess relative to a period of one, by period {listed}",
        provenance=f"{_DOWNPOUR_PERIODS_WORKERS} workers, gamma = {_DOWNPOUR_PERIODS_GAMMA}, "
        f"{_DOWNPOUR_PERIODS_TICKS} gradients, {_DOWNPOUR_PERIODS_REPLICAS} "
        f"replicas, seed {_DOWNPOUR_PERIODS_SEED}, error {ALPHA:g}",
    )


# What inconsistent reads cost Hogwild falls as supports get sparser, at the same delays.
#
# Samples have k of d coordinates, entries 1/sqrt(k), random supports: two of them share k/d of
# their places on average, and the top eigenvalue of the Hessian is k/d, nearly. The penalty is the
# excess f - f* over the second half of a run with 32 workers, divided by that of one. Niu et al.
# 2011 (arXiv:1106.5730) state a factor 1 + 6 tau rho + 6 tau^2 Omega sqrt(Delta) in numbers that
# fall with the supports; only the direction is asserted here.


HogwildSparsityBuild = Callable[[Hogwild], Method[Any]]

(
    _HOGWILD_SPARSITY_D,
    _SAMPLES,
    _HOGWILD_SPARSITY_WORKERS,
    _HOGWILD_SPARSITY_TICKS,
    _HOGWILD_SPARSITY_REPLICAS,
) = 64, 512, 32, 800, 32
_SUPPORTS = (1, 4, 16, 32, 48)
_TREND = 0.9  # rank correlation: two neighbours may change places
_HOGWILD_SPARSITY_GAMMA, _NOISE = 0.5, 2.0
_HOGWILD_SPARSITY_ROW, _HOGWILD_SPARSITY_PROBLEM = "hogwild", "sparse-linear"


@study(
    "hogwild",
    "sparse-linear",
    "the penalty of delay falls with sparsity",
    "share of coordinates in a sample, k / d",
    "excess f - f*, relative to one worker",
)
def hogwild_sparsity_measure(
    build: HogwildSparsityBuild = lambda hogwild: hogwild, supports: tuple[int, ...] = _SUPPORTS
) -> StudyResult:
    """Penalties of delay for each size of support."""
    excess = [
        np.stack([_hogwild_sparsity_excess(build, n, k) for n in (1, _HOGWILD_SPARSITY_WORKERS)])
        for k in supports
    ]
    penalty = np.array([e[1].mean() / e[0].mean() for e in excess])
    spread = np.array([_relative(e) for e in excess]) * penalty
    tau = Hogwild(
        ConstantStep(_HOGWILD_SPARSITY_GAMMA), _HOGWILD_SPARSITY_TICKS, Exponential()
    ).schedule(_HOGWILD_SPARSITY_WORKERS)
    description = (
        f"{_HOGWILD_SPARSITY_WORKERS} workers, largest staleness {tau.tau}, d = "
        f"{_HOGWILD_SPARSITY_D}, gamma = {_HOGWILD_SPARSITY_GAMMA}, "
        f"{_HOGWILD_SPARSITY_TICKS} "
        f"ticks, {_HOGWILD_SPARSITY_REPLICAS} replicas, seed 0, error {ALPHA:g}"
    )
    share = np.array(supports) / _HOGWILD_SPARSITY_D
    error = BAND_ERRORS * spread
    drawn = [
        PanelLine("inconsistent reads", share, penalty, penalty - error, penalty + error),
        PanelLine("no delay", share, np.ones_like(share)),
    ]
    return StudyResult(
        (_falls(supports, penalty, spread, description), _ordered(supports, penalty, description)),
        drawn,
    )


def _hogwild_sparsity_excess(build: HogwildSparsityBuild, n: int, support: int) -> Floats:
    """f - f* over the second half of each replica's run ``[R]``."""
    problem = SparseLinear.overlapping(n, _SAMPLES, _HOGWILD_SPARSITY_D, support, noise=_NOISE)
    method = build(
        Hogwild(
            ConstantStep(_HOGWILD_SPARSITY_GAMMA),
            _HOGWILD_SPARSITY_TICKS,
            Exponential(),
            replicas=_HOGWILD_SPARSITY_REPLICAS,
        )
    )
    x = models(method, problem, _HOGWILD_SPARSITY_TICKS, replicas=_HOGWILD_SPARSITY_REPLICAS)[
        _HOGWILD_SPARSITY_TICKS // 2 :
    ]
    return np.asarray((problem.value(x) - problem.f_star).mean(0).numpy())


def _relative(e: Floats) -> float:
    """Relative standard error of the ratio of means of ``[2, R]``."""
    parts = e.var(axis=1, ddof=1) / e.shape[1] / e.mean(axis=1) ** 2
    return float(parts.sum() ** 0.5)


def _falls(supports: tuple[int, ...], penalty: Floats, spread: Floats, description: str) -> Verdict:
    fall = float(penalty[-1] - penalty[0])
    half = float(
        scipy.stats.t.isf(ALPHA, _HOGWILD_SPARSITY_REPLICAS - 1) * np.hypot(spread[0], spread[-1])
    )
    return Verdict(
        claim="the penalty of delay falls with sparsity", check="penalty of delay",
        outcome=Outcome.SUPPORTED if fall > half else Outcome.REFUTED, statistic=fall, bound=0.0,
        uncertainty=half, resolution=half,
        evidence=f"excess {penalty[-1]:.3f} times that of one worker on supports of "
        f"{supports[-1]}, {penalty[0]:.3f} times on {supports[0]}: {fall:.3f} +- {half:.2g}",
        provenance=description, subject=_HOGWILD_SPARSITY_ROW, problem=_HOGWILD_SPARSITY_PROBLEM,
    )  # fmt: skip


def _ordered(supports: tuple[int, ...], penalty: Floats, description: str) -> Verdict:
    trend = float(scipy.stats.spearmanr(supports, penalty).statistic)
    listed = ", ".join(f"{k}: {p:.3f}" for k, p in zip(supports, penalty, strict=True))
    return Verdict(
        claim="the penalty rises with the support", check="trend of the penalty",
        outcome=Outcome.SUPPORTED if trend >= _TREND else Outcome.REFUTED, statistic=trend,
        bound=_TREND,
        evidence=f"rank correlation {trend:.2f}; penalties by support {listed}",
        provenance=description,
        subject=_HOGWILD_SPARSITY_ROW, problem=_HOGWILD_SPARSITY_PROBLEM,
    )  # fmt: skip

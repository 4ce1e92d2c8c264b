"""Studies: async speedup."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from algorithms.methods.base import Method
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import PowerLawFit, rate_verdict
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

# Asynchronous SGD wastes nothing while the delay is of order sqrt(K), and much beyond.
#
# K gradients in all, one an update, gamma = sqrt(Delta / (L K sigma2)) up to a constant, n workers
# with exponential times, so delays of n - 1 on average. Lian et al. 2015 (arXiv:1506.08272,
# Corollary 2): for tau = O(sqrt K) the mean squared gradient is of the order of n = 1, though n
# workers made the gradients n times as fast; beyond, the delay's term 2 L^2 gamma^2 tau sigma2 and
# then stability take over. n is put at multiples of sqrt(K); the place where the error is 1.4 times
# that of n = 1 is found between them, for each K.


AsyncSpeedupBuild = Callable[[ParameterServer], Method[Any]]

_BUDGETS = (144, 576, 2304)
_SHARES = (0.25, 0.5, 1.0, 1.5, 2.0)  # n / sqrt(K)
_REPLICAS, _SEED, _D = 48, 11, 8
_LEVEL, _FLAT, _LOSS = 1.4, 1.2, 1.5
_ROW, _PROBLEM = "asp", "quadratic-sc"


@study(
    "asp",
    "quadratic-sc",
    "linear speedup while tau = O(sqrt(K))",
    "workers n",
    "mean ||grad f(x_t)||^2 after K gradients",
)
def async_speedup_measure(
    build: AsyncSpeedupBuild = lambda asp: asp, budgets: tuple[int, ...] = _BUDGETS
) -> StudyResult:
    """Error against n for every K of ``budgets``; the knee's exponent in K."""
    workers = [[1, *(round(share * k**0.5) for share in _SHARES)] for k in budgets]
    errors = [
        np.stack([_error(build, n, k) for n in ns], axis=1)
        for k, ns in zip(budgets, workers, strict=True)
    ]
    fit = _knee(budgets, workers, errors)
    knees = ", ".join(
        f"{math.exp(_log_knee(ns, e.mean(axis=0))):.3g} at K = {k}"
        for k, ns, e in zip(budgets, workers, errors, strict=True)
    )
    description = (
        f"{_REPLICAS} replicas, gamma = 1/sqrt(K), exponential times, seed {_SEED}, error "
    )
    description += f"{ALPHA:g}"
    speed = rate_verdict(
        fit, 0.5, True, claim="the delay that costs a share of the error grows as sqrt(K)",
        variable="K", provenance=f"error {_LEVEL} times that of n = 1 at n = {knees}; "
        f"{description}",
        subject=_ROW, problem=_PROBLEM,
    )  # fmt: skip
    flat = _ratio(errors, _SHARES.index(1.0) + 1, description)
    lost = _ratio(errors, _SHARES.index(2.0) + 1, description, loss=True)
    drawn: list[PanelLine] = []
    for k, ns, e in zip(budgets, workers, errors, strict=True):
        drawn.append(PanelLine(f"K = {k}", np.array(ns, dtype=np.float64), *band(e)))
    return StudyResult((speed, flat, lost), drawn)


def _error(build: AsyncSpeedupBuild, n: int, budget: int) -> Floats:
    """Mean squared gradient over the run of each replica ``[R]``."""
    problem = Quadratic.strongly_convex(n, _D, L=1.0, mu=0.1, sigma2=1.0, R2=4.0)
    step = ConstantStep(budget**-0.5)
    method = build(ParameterServer(step, budget, Exponential(), replicas=_REPLICAS))
    total = np.zeros(_REPLICAS)
    for moment in path(method, problem, budget - 1, seed=_SEED, replicas=_REPLICAS):
        x = method.models(moment.state)[..., 0, :]
        total += problem.mean_gradient(x).square().sum(-1).numpy()
    return total / budget


def _log_knee(workers: list[int], mean: Floats) -> float:
    """log n where the error first is _LEVEL times that of n = 1, between points in log n."""
    ratio = np.log(mean / mean[0])
    level = math.log(_LEVEL)
    last = next((j for j in range(1, len(ratio)) if ratio[j] >= level), len(ratio) - 1)
    low, high = ratio[last - 1], ratio[last]
    share = (level - low) / (high - low)
    step = math.log(workers[last] / workers[last - 1])
    return float(math.log(workers[last - 1]) + share * step)


def _knee(budgets: tuple[int, ...], workers: list[list[int]], errors: list[Floats]) -> PowerLawFit:
    """Exponent of K in the knee; the jackknife over replicas, Student's t at ALPHA."""
    log_k = np.log(np.array(budgets, dtype=np.float64))

    def knees(keep: Floats) -> Floats:
        return np.array(
            [_log_knee(ns, e[keep].mean(axis=0)) for ns, e in zip(workers, errors, strict=True)]
        )

    everyone = np.ones(_REPLICAS, dtype=bool)
    whole = knees(everyone)
    slope = float(np.polyfit(log_k, whole, 1)[0])
    without = [np.polyfit(log_k, knees(np.arange(_REPLICAS) != r), 1)[0] for r in range(_REPLICAS)]
    spread = float(np.std(without) * (_REPLICAS - 1) ** 0.5)
    half = float(scipy.stats.t.isf(ALPHA / 2, _REPLICAS - 1)) * spread
    intercept = float(whole.mean() - slope * log_k.mean())
    residual = float(np.abs(whole - intercept - slope * log_k).max())
    return PowerLawFit(
        slope,
        half,
        intercept,
        2 * half,
        residual,
        len(budgets),
        len(budgets),
        _REPLICAS,
        ALPHA,
        0.0,
    )


def _ratio(errors: list[Floats], place: int, description: str, *, loss: bool = False) -> Verdict:
    """The error at one multiple of sqrt(K) against that of n = 1: the extreme over K."""
    pick = min if loss else max
    ratios = [(e[:, place].mean() / e[:, 0].mean(), e) for e in errors]
    ratio, e = pick(ratios, key=lambda pair: pair[0])
    spread = sum(np.var(e[:, j], ddof=1) / e[:, j].mean() ** 2 for j in (0, place))
    half = float(scipy.stats.t.isf(ALPHA, _REPLICAS - 1) * ratio * (spread / _REPLICAS) ** 0.5)
    share, bound = _SHARES[place - 1], _LOSS if loss else _FLAT
    refuted = ratio + half < bound if loss else ratio - half > bound
    what = f"at least {bound} times" if loss else f"at most {bound} times"
    return Verdict(
        claim=f"at n = {share:g} sqrt(K) the error is {what} that of n = 1",
        check="loss of speedup" if loss else "linear speedup",
        outcome=Outcome.REFUTED if refuted else Outcome.SUPPORTED,
        statistic=float(ratio), bound=bound, uncertainty=half, resolution=2 * half,
        evidence=f"{'smallest' if loss else 'largest'} ratio {ratio:.3f} +- {half:.2g} over "
        f"{len(errors)} budgets K",
        provenance=description, subject=_ROW, problem=_PROBLEM,
    )  # fmt: skip

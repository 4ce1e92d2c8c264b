"""Studies: aasgd condition, delay compensation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy

from algorithms.catalogue.synchronous import round_trip as _trip
from algorithms.compressors.blocks import BlockSampling
from algorithms.compressors.identity import Identity
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.parts.delay_compensation import (
    Correction,
    DiagonalCompensation,
    ExactHessian,
    NoCorrection,
)
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.curves import PanelLine, RateSeries, band
from proofs_check.instruments.effect_check import held
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import models
from proofs_check.instruments.rates import PowerLawFit, fit_power
from proofs_check.instruments.study import StudyResult, fitted, study
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

# Asynchronous accelerated SGD against the condition number: what momentum takes off the exponent.
#
# Gradients until f - f* is 1e-4 of its start, against kappa. Acceleration promises the square root
# of kappa where plain descent takes kappa (Nesterov 2004, Theorem 2.1.14 and 2.2.2); Meng et al.
# 2016 (IJCAI) state that it survives delays, variance reduction and blocks, to order only. With
# momentum they may grow no more than the square root from the least kappa to the largest, without
# it the fitted exponent is above 1/2.


_N, _D, _AASGD_CONDITION_SEED, _SHARE = 4, 20, 3, 1e-4
_AASGD_CONDITION_REPLICAS = (
    32  # 16 put the limit of a skewed mean 48 standard errors away, 32 put it 24
)
_BLOCKS, _EPOCH = 4, 20  # as the row has them: blocks by lot, an anchor every 5 gradients a worker
_HALF = 0.5  # the exponent of kappa that acceleration promises
_AASGD_CONDITION_ROW, _AASGD_CONDITION_PROBLEM = (
    "aasgd",
    "strongly convex quadratic, sigma2 = zeta2 = 1",
)


class SidesRuns(NamedTuple):
    """A method and how long it may take.

    Attributes:
        theta: the coupling; 1 has no momentum.
        gamma: its stepsize, of a grid of halvings the best.
        steps: by kappa, the gradients of a run: more than it takes.
    """

    theta: float
    gamma: float
    steps: Mapping[int, int]


WITH = SidesRuns(0.2, 1.0, {30: 700, 100: 700, 300: 800, 1000: 1500})
WITHOUT = SidesRuns(1.0, 0.25, {30: 500, 100: 1200, 300: 2600})


def gradients_to(kind: SidesRuns, kappa: int) -> Floats:
    """Gradients of all workers until f - f* is 1e-4 of its start ``[R]``.

    Raises:
        ValueError: a replica does not get there.
    """
    problem = Quadratic.strongly_convex(_N, _D, mu=1 / kappa, sigma2=1.0, zeta2=1.0)
    steps = kind.steps[kappa]
    method = AsyLPG(
        ConstantStep(kind.gamma), steps, _trip(problem), _EPOCH, BlockSampling(_BLOCKS), Identity(),
        kind.theta,
    )  # fmt: skip
    trace = run(
        method,
        problem,
        steps=steps,
        seed=_AASGD_CONDITION_SEED,
        replicas=_AASGD_CONDITION_REPLICAS,
        points=steps // 2,
    )
    there = trace.suboptimality <= _SHARE * trace.suboptimality[:, :1]
    if not there.any(axis=1).all():
        raise ValueError(
            f"every replica must get to {_SHARE:g} of its start, got "
            f"{int(there.any(axis=1).sum())} of {_AASGD_CONDITION_REPLICAS} in {steps} steps "
            f"at kappa={kappa}; "
            "more steps would do"
        )
    return np.asarray(trace.steps[there.argmax(axis=1)], dtype=np.float64)


@study(
    _AASGD_CONDITION_ROW,
    _AASGD_CONDITION_PROBLEM,
    "momentum takes the square root of the condition number",
    "condition number kappa",
    f"gradients until f - f* is {_SHARE:g} of its start",
)
def aasgd_condition_measure(
    accelerated: SidesRuns = WITH, plain: SidesRuns = WITHOUT
) -> StudyResult:
    """Growth with momentum, exponent without, and a figure of each."""
    (mine, fit, one), (_, other, two) = _fitted(accelerated, _HALF), _fitted(plain, 1.0)
    description = f"n = {_N}, {_AASGD_CONDITION_REPLICAS} replicas, seed {_AASGD_CONDITION_SEED}"
    return StudyResult(
        (_root(mine, fit, accelerated, description), _steeper(other, description)), (one, two)
    )


def _root(taken: Floats, fit: PowerLawFit, kind: SidesRuns, description: str) -> Verdict:
    """From the least kappa to the largest, no more growth than the square root: no law is fitted,
    since the curve with momentum is none (0.07 early, 0.51 late)."""
    least, largest = min(kind.steps), max(kind.steps)
    most = (largest / least) ** _HALF
    found = held(taken[:, -1], taken[:, 0], most, ALPHA)
    return Verdict(
        subject=_AASGD_CONDITION_ROW,
        problem=_AASGD_CONDITION_PROBLEM,
        check="rate in kappa",
        kind=CheckKind.RATE,
        claim=f"with momentum, gradients to {_SHARE:g} grow as kappa^{_HALF:g} at most, from "
        f"kappa = {least} to {largest}",
        outcome=found.outcome,
        statistic=found.ratio,
        bound=most,
        uncertainty=found.half_width,
        resolution=found.half_width,
        evidence=f"{found.mine:.4g} gradients for {found.theirs:.4g}: {found.ratio:.3g} times, "
        f"{most:.3g} allowed; a power law through all would be {fit.slope:.3f}",
        provenance=f"Meng et al. 2016 (IJCAI); gamma = {kind.gamma:g}, {description}, error "
        f"{ALPHA:g}",
    )


def _fitted(kind: SidesRuns, order: float) -> tuple[Floats, PowerLawFit, RateSeries]:
    kappas = np.array(sorted(kind.steps), dtype=np.float64)
    taken = np.stack([gradients_to(kind, int(kappa)) for kappa in kappas], axis=1)
    fit = fit_power(kappas, taken, ALPHA)
    line = taken.mean() * (kappas / np.exp(np.log(kappas).mean())) ** order
    series = fitted(kappas, taken, fit, line)
    label = "kappa, momentum" if order == _HALF else "kappa, plain"
    return taken, fit, replace(series, along=label)


def _steeper(fit: PowerLawFit, description: str) -> Verdict:
    """Without momentum the exponent is above that of acceleration, beyond its interval."""
    return Verdict(
        subject=_AASGD_CONDITION_ROW,
        problem=_AASGD_CONDITION_PROBLEM,
        check="rate in kappa",
        kind=CheckKind.RATE,
        claim=f"without momentum they grow faster than kappa^{_HALF:g}",
        outcome=Outcome.SUPPORTED if fit.slope - fit.half_width > _HALF else Outcome.REFUTED,
        statistic=fit.slope,
        bound=_HALF,
        uncertainty=fit.half_width,
        resolution=fit.resolution,
        evidence=f"exponent of kappa {fit.slope:.4f} +- {fit.half_width:.4f}, {fit.points} points",
        provenance=f"theta = 1, gamma = {WITHOUT.gamma:g}, {description}, error {ALPHA:g}",
    )


# What delay compensation gives back on logistic regression: all of it, or a part.
#
# The excess f - f* over the second half of a run against the number of workers, gradients as they
# come and compensated. The exact Hessian (along the move) brings back the error of one worker; on
# quadratics it does so tick by tick, an identity. The diagonal lam g*g of Zheng et al. 2016
# (arXiv:1609.08326) only knows the gradient; what it gives back is measured.


Build = Callable[[ParameterServer], Method[Any]]

_WORKERS = (1, 8, 16, 32)
_TICKS, _DELAY_COMPENSATION_REPLICAS, _GAMMA, _DELAY_COMPENSATION_SEED = 300, 64, 2.0, 5
_KEPT = 1.2  # of the error of one worker, which the exact Hessian is allowed
_DELAY_COMPENSATION_ROW, _DELAY_COMPENSATION_PROBLEM = "dc-asgd", "logistic, synthetic"
_LINES: dict[str, Correction[Any]] = {
    "none": NoCorrection(),
    "diagonal, lam = 4": DiagonalCompensation(4.0),
    "diagonal, lam = 16": DiagonalCompensation(16.0),
    "adaptive, lam = 0.5": DiagonalCompensation(0.5, adaptive=True),
    "exact Hessian": ExactHessian(),
}


@study(
    _DELAY_COMPENSATION_ROW,
    _DELAY_COMPENSATION_PROBLEM,
    "delay compensation brings back the error without delay",
    "workers n",
    "f(x_t) - f*, second half of the run",
)
def delay_compensation_measure(
    build: Build = lambda server: server, labels: tuple[str, ...] = tuple(_LINES)
) -> StudyResult:
    """Excess of the corrections ``labels``, of which the first is none, against n."""
    errors = {
        label: np.stack([_excess(build, _LINES[label], n) for n in _WORKERS], axis=1)
        for label in labels
    }
    plain, exact = errors["none"], errors["exact Hessian"]
    verdicts = [_exact(plain, exact)]
    for label, e in errors.items():
        if label not in ("none", "exact Hessian"):
            verdicts.append(_share(label, plain, e))
    drawn: list[PanelLine] = []
    for label, e in errors.items():
        drawn.append(PanelLine(label, np.array(_WORKERS, dtype=np.float64), *band(e)))
    return StudyResult(tuple(verdicts), drawn)


def _excess(build: Build, used: Correction[Any], n: int) -> Floats:
    """f - f* over the second half of each replica's run ``[R]``; all workers share the samples."""
    one = synthetic(1, 200, 10, L2(0.01), batch=8, seed=3)
    problem = replace(one, rows=one.rows.expand(n, -1, -1).contiguous())
    method = build(
        ParameterServer(
            ConstantStep(_GAMMA),
            _TICKS,
            Exponential(),
            correction=used,
            replicas=_DELAY_COMPENSATION_REPLICAS,
        )
    )
    x = models(
        method,
        problem,
        _TICKS,
        seed=_DELAY_COMPENSATION_SEED,
        replicas=_DELAY_COMPENSATION_REPLICAS,
    )[_TICKS // 2 :]
    assert one.f_star is not None
    return np.asarray((one.value(x) - one.f_star).mean(0).numpy())  # every worker's is the same


def _half(a: Floats) -> float:
    """Half-width of the mean of ``[R]`` at ALPHA, one-sided."""
    return float(scipy.stats.t.isf(ALPHA, a.size - 1) * a.std(ddof=1) / a.size**0.5)


def _exact(plain: Floats, exact: Floats) -> Verdict:
    """At the most workers: excess with the exact Hessian against 1.2 times that of one worker."""
    over = exact[:, -1] - _KEPT * plain[:, 0]
    half = _half(over)
    ratio, without = (float(e[:, -1].mean() / plain[:, 0].mean()) for e in (exact, plain))
    return Verdict(
        subject=_DELAY_COMPENSATION_ROW, problem=_DELAY_COMPENSATION_PROBLEM,
        claim=f"with the exact Hessian {_WORKERS[-1]} workers err as one, up to {_KEPT:g}",
        check="delay compensated",
        outcome=Outcome.REFUTED if over.mean() > half else Outcome.SUPPORTED,
        statistic=ratio, bound=_KEPT, uncertainty=half / float(plain[:, 0].mean()),
        resolution=2 * half / float(plain[:, 0].mean()),
        evidence=f"excess {ratio:.3f} times that of one worker; {without:.3f} times uncorrected",
        provenance=_described(),
    )  # fmt: skip


def _share(label: str, plain: Floats, e: Floats) -> Verdict:
    """Share of the delay's cost that a correction gives back at the most workers."""
    cost = float((plain[:, -1] - plain[:, 0]).mean())
    back = plain[:, -1] - e[:, -1]
    half = _half(back) / cost
    share = float(back.mean()) / cost
    return Verdict(
        subject=_DELAY_COMPENSATION_ROW, problem=_DELAY_COMPENSATION_PROBLEM,
        claim=f"{label}: gives back a part of what delay costs",
        check="delay compensated in part",
        outcome=Outcome.SUPPORTED if share > half else Outcome.COMPARED,
        statistic=share, bound=1.0, uncertainty=half, resolution=2 * half,
        evidence=f"{100 * share:.0f} % +- {100 * half:.0f} % of the excess that {_WORKERS[-1]} "
        "workers have over one",
        provenance=_described(),
    )  # fmt: skip


def _described() -> str:
    return (
        f"gamma = {_GAMMA:g}, {_TICKS} ticks, exponential times, "
        f"{_DELAY_COMPENSATION_REPLICAS} replicas, seed "
        f"{_DELAY_COMPENSATION_SEED}, error {ALPHA:g}"
    )

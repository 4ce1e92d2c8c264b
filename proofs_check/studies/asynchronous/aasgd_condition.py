r"""Asynchronous accelerated SGD against the condition number: what momentum takes off the exponent.

Gradients until f - f* is 1e-4 of its start, against kappa. Acceleration promises the square root
of kappa where plain descent takes kappa (Nesterov 2004, Theorem 2.1.14 and 2.2.2); Meng et al.
2016 (IJCAI) state that it survives delays, variance reduction and blocks, to order only. With
momentum they may grow no more than the square root from the least kappa to the largest, without it
the fitted exponent is above 1/2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from algorithms.catalogue.synchronous import round_trip as _trip
from algorithms.compressors.blocks import BlockSampling
from algorithms.compressors.identity import Identity
from algorithms.engine.run import run
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.problems.quadratic import Quadratic
from proofs_check.curves import RateSeries
from proofs_check.instruments.effect_check import held
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import PowerLawFit, fit_power
from proofs_check.instruments.study import Study, StudyResult, fitted
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_N, _D, _SEED, _SHARE = 4, 20, 3, 1e-4
_REPLICAS = 32  # 16 put the limit of a skewed mean 48 standard errors away, 32 put it 24
_BLOCKS, _EPOCH = 4, 20  # as the row has them: blocks by lot, an anchor every 5 gradients a worker
_HALF = 0.5  # the exponent of kappa that acceleration promises
_ROW, _PROBLEM = "aasgd", "strongly convex quadratic, sigma2 = zeta2 = 1"


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
    trace = run(method, problem, steps=steps, seed=_SEED, replicas=_REPLICAS, points=steps // 2)
    there = trace.suboptimality <= _SHARE * trace.suboptimality[:, :1]
    if not there.any(axis=1).all():
        raise ValueError(
            f"every replica must get to {_SHARE:g} of its start, got "
            f"{int(there.any(axis=1).sum())} of {_REPLICAS} in {steps} steps at kappa={kappa}; "
            "more steps would do"
        )
    return np.asarray(trace.steps[there.argmax(axis=1)], dtype=np.float64)


def measure(accelerated: SidesRuns = WITH, plain: SidesRuns = WITHOUT) -> StudyResult:
    """Growth with momentum, exponent without, and a figure of each."""
    (mine, fit, one), (_, other, two) = _fitted(accelerated, _HALF), _fitted(plain, 1.0)
    told = f"n = {_N}, {_REPLICAS} replicas, seed {_SEED}"
    return StudyResult((_root(mine, fit, accelerated, told), _steeper(other, told)), (one, two))


def _root(taken: Floats, fit: PowerLawFit, kind: SidesRuns, told: str) -> Verdict:
    """From the least kappa to the largest, no more growth than the square root: no law is fitted,
    since the curve with momentum is none (0.07 early, 0.51 late)."""
    least, largest = min(kind.steps), max(kind.steps)
    most = (largest / least) ** _HALF
    found = held(taken[:, -1], taken[:, 0], most, ALPHA)
    return Verdict(
        subject=_ROW, problem=_PROBLEM, check="rate in kappa", kind=CheckKind.RATE,
        claim=f"with momentum, gradients to {_SHARE:g} grow as kappa^{_HALF:g} at most, from "
        f"kappa = {least} to {largest}",
        outcome=found.outcome, statistic=found.ratio, bound=most, uncertainty=found.half_width,
        resolution=found.half_width,
        evidence=f"{found.mine:.4g} gradients for {found.theirs:.4g}: {found.ratio:.3g} times, "
        f"{most:.3g} allowed; a power law through all would be {fit.slope:.3f}",
        provenance=f"Meng et al. 2016 (IJCAI); gamma = {kind.gamma:g}, {told}, error {ALPHA:g}",
    )  # fmt: skip


def _fitted(kind: SidesRuns, order: float) -> tuple[Floats, PowerLawFit, RateSeries]:
    kappas = np.array(sorted(kind.steps), dtype=np.float64)
    taken = np.stack([gradients_to(kind, int(kappa)) for kappa in kappas], axis=1)
    fit = fit_power(kappas, taken, ALPHA)
    line = taken.mean() * (kappas / np.exp(np.log(kappas).mean())) ** order
    series = fitted(kappas, taken, fit, line)
    label = "kappa, momentum" if order == _HALF else "kappa, plain"
    return taken, fit, replace(series, along=label)


def _steeper(fit: PowerLawFit, told: str) -> Verdict:
    """Without momentum the exponent is above that of acceleration, beyond its interval."""
    return Verdict(
        subject=_ROW, problem=_PROBLEM, check="rate in kappa", kind=CheckKind.RATE,
        claim=f"without momentum they grow faster than kappa^{_HALF:g}",
        outcome=Outcome.SUPPORTED if fit.slope - fit.half_width > _HALF else Outcome.REFUTED,
        statistic=fit.slope, bound=_HALF, uncertainty=fit.half_width, resolution=fit.resolution,
        evidence=f"exponent of kappa {fit.slope:.4f} +- {fit.half_width:.4f}, {fit.points} points",
        provenance=f"theta = 1, gamma = {WITHOUT.gamma:g}, {told}, error {ALPHA:g}",
    )  # fmt: skip


STUDY = Study(
    "aasgd_condition",
    _ROW,
    _PROBLEM,
    "momentum takes the square root of the condition number",
    "condition number kappa",
    f"gradients until f - f* is {_SHARE:g} of its start",
    measure,
)

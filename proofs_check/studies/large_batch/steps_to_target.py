r"""Steps to a target against the batch: in proportion at first, then not at all.

Every batch with the best constant stepsize of a grid
(:mod:`proofs_check.studies.shared.batch_search`). In the linear region, a third of the critical
batch and below, the slope of log S against log B is -1; three times beyond it, 0: to within what a
grid of ratio sqrt(2) may add, the hyperbola's own slope there, and the statistical error.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.mlp import digits_mlp
from algorithms.problems.regularisers import L2
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import rational
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.shared.batch_search import (
    Hyperbola,
    Scanned,
    StepsToTarget,
    hyperbola,
    scan,
)
from proofs_check.verdict import Outcome, Verdict

_NEAR = 3.0  # a region begins this far from the critical batch
_OFF_GRID = math.log(2**0.25)  # the best stepsize is at most this far away, in its logarithm


class Slope(NamedTuple):
    """Least-squares slope of log S against log B with its half-width at ALPHA, and what a grid
    may add to it.

    Attributes:
        value: the slope.
    """

    value: float
    half: float
    grid: float


def slope_of(scanned: Scanned, used: NDArray[np.bool_]) -> Slope:
    """Over the batches ``used`` (a mask); Student's t over the groups."""
    log_x, counts = np.log(scanned.batches[used]), scanned.steps[:, used]
    centred = (log_x - log_x.mean()) / np.square(log_x - log_x.mean()).sum()
    value = float(centred @ np.log(counts.mean(0)))
    # first order: d log(mean) = (group's count - mean) / mean
    parts = (counts / counts.mean(0) - 1) @ centred
    groups = len(parts)
    half = float(scipy.stats.t.isf(ALPHA / 2, groups - 1) * parts.std(ddof=1)) / groups**0.5
    return Slope(value, half, _OFF_GRID / 2 * float(np.abs(centred).sum()))


def _verdict(scanned: Scanned, curve: Hyperbola, linear: bool, problem: str, told: str) -> Verdict:
    """-1 up to a third of the critical batch, 0 from three times it on."""
    ends = (0.0, curve.critical / _NEAR) if linear else (curve.critical * _NEAR, math.inf)
    used = (scanned.batches >= ends[0]) & (scanned.batches <= ends[1])
    order, claim = (-1.0, "in proportion to 1/B") if linear else (0.0, "not with B at all")
    where = f"B {'<=' if linear else '>='} {ends[1 if linear else 0]:.3g} base batches"
    if used.sum() < 3:
        return Verdict(
            subject="linear-scaling", problem=problem, check="steps to target",
            claim=f"steps to target fall {claim}", outcome=Outcome.NOT_APPLICABLE,
            evidence=f"fewer than 3 batches with {where}", provenance=told,
        )  # fmt: skip
    found = slope_of(scanned, used)
    bend = abs(curve.slope(scanned.batches[used]) - order)
    slack = found.half + found.grid + bend
    holds = abs(found.value - order) <= slack
    return Verdict(
        subject="linear-scaling", problem=problem, check="steps to target",
        claim=f"steps to target fall {claim}, {where}",
        outcome=Outcome.SUPPORTED if holds else Outcome.REFUTED,
        statistic=found.value, bound=order, order=f"B^{order:g}",
        exponent=rational(order), uncertainty=slack, resolution=2 * slack,
        evidence=f"slope {found.value:.4f} on {int(used.sum())} batches: order {order:g}, within "
        f"{found.half:.3f} (statistics), {found.grid:.3f} (grid of stepsizes) and {bend:.3f} (the "
        f"hyperbola's own); S_min {curve.fewest:.3g}, critical batch {curve.critical:.3g}",
        provenance=told,
    )  # fmt: skip


def _stepsizes(scanned: Scanned, curve: Hyperbola, problem: str, told: str) -> Verdict:
    """The best stepsize against the batch, beside the linear rule's exponent."""
    used = scanned.batches <= curve.critical
    slope = float(np.polyfit(np.log(scanned.batches[used]), np.log(scanned.stepsizes[used]), 1)[0])
    found = ", ".join(f"{g:.3g}" for g in scanned.stepsizes)
    return Verdict(
        subject="linear-scaling", problem=problem, check="best stepsize",
        claim="the best stepsize grows in proportion to B up to the critical batch",
        outcome=Outcome.COMPARED, statistic=slope, bound=1.0,
        evidence=f"exponent {slope:.3f} (linear rule 1, square-root rule 0.5); best stepsizes "
        f"{found}", provenance=told,
    )  # fmt: skip


def measure(race: StepsToTarget, batches: tuple[int, ...], start: float) -> StudyResult:
    """Scan, fit, judge, draw."""
    scanned = scan(race, batches, start)
    curve, mean = hyperbola(scanned), scanned.steps.mean(0)
    told = (
        f"seeds {race.seed} (counts) and {race.seed + 1} (search), {race.groups} groups of "
        f"{race.size}, target {race.target:g}, error {ALPHA:g}"
    )
    name = race.problem.name
    verdicts = (
        _verdict(scanned, curve, True, name, told),
        _verdict(scanned, curve, False, name, told),
        _stepsizes(scanned, curve, name, told),
    )
    x = scanned.batches  # base batches are of one sample
    lines = (
        PanelLine("measured", x, *band(scanned.steps)),
        PanelLine("S_min (1 + B_c/B)", x, curve.steps(x), theory=True),
        PanelLine("perfect scaling", x, mean[0] * x[0] / x, theory=True),
        PanelLine("fewest steps", x, np.full_like(x, curve.fewest), theory=True),
    )
    return StudyResult(verdicts, lines)


def logistic() -> StudyResult:
    """Breast cancer, one worker: f - f* = 3e-4 from log 2."""
    problem = breast_cancer(1, L2(0.1), batch=1)
    floor = problem.f_star or 0.0
    race = StepsToTarget(
        problem, lambda x: problem.value(x) - floor, 3e-4, 6000, 64, 2, 81,
        2 / problem.constants().need("L"),
    )  # fmt: skip
    return measure(race, tuple(4 * 2**k for k in range(12)), 0.01)


def mlp() -> StudyResult:
    """Digits, one worker: f = 0.15 from 2.4."""
    problem = digits_mlp(1, batch=1)
    race = StepsToTarget(problem, problem.value, 0.15, 3000, 32, 1, 83, 32.0)
    return measure(race, (4, 8, 16, 32, 64, 256, 512, 1024, 2048), 0.5)


LOGISTIC = Study(
    "steps_to_target_logistic", "linear-scaling", "logreg-breast-cancer",
    "steps to target in proportion to 1/B, then constant", "batch B [samples]", "steps to target",
    logistic,
)  # fmt: skip
MLP = Study(
    "steps_to_target_mlp", "linear-scaling", "mlp-digits",
    "steps to target in proportion to 1/B, then constant", "batch B [samples]", "steps to target",
    mlp,
)  # fmt: skip

"""Studies: batch noise scale, steps to target."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy
import torch
from numpy.typing import NDArray

from algorithms.engine.run import run
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.mlp import digits_mlp
from algorithms.problems.regularisers import L2
from proofs_check.curves import PanelLine, band
from proofs_check.evidence.synchronous.closed_forms import one_hessian
from proofs_check.instruments.batch_search import (
    BatchScan,
    Hyperbola,
    StepsToTarget,
    hyperbola,
    scan,
)
from proofs_check.instruments.evidence import ALPHA, mean_square
from proofs_check.instruments.paths import world_of
from proofs_check.instruments.rates import fit_power, rate_verdict, rational
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep

# The noise scale gamma sigma^2 / B: growing the batch or decaying the stepsize, scaling both.
#
# Smith et al. 2018 (arXiv:1711.00489): a stage in which the batch doubles ends with the variance of
# one in which the stepsize halves, to leading order in gamma a. On the noisy quadratic both
# variances are known exactly after any number of steps; on logistic regression they are compared.


_N, _GAMMA, _REPLICAS, _SEED = 2, 0.2, 48, 95
_FACTORS = (1, 2, 4, 8, 16, 32)
_DAMPING = 12.0  # gamma a t of a run: e^-24 of the start is left
_MEMORY = 8.0  # gamma mu t of half a run on logistic regression


class NoiseScaleArm(NamedTuple):
    """A way to reach a noise scale: factor -> (gamma, batch).

    Attributes:
        label: what the figure calls it.
        row: key of the row.
        power: the stepsize grows as the factor to this power.
    """

    label: str
    row: str
    gamma: float
    power: float
    batch: float

    def settings_at(self, factor: int) -> tuple[float, int]:
        """Stepsize and batch at a factor."""
        return self.gamma * factor**self.power, round(factor**self.batch)


GROWTH = NoiseScaleArm("batch grows", "batch-growth", _GAMMA, 0.0, 1.0)
DECAY = NoiseScaleArm("stepsize decays", "batch-growth", _GAMMA, -1.0, 0.0)
LINEAR = NoiseScaleArm("both, linear rule", "linear-scaling", _GAMMA / 32, 1.0, 1.0)
ROOT = NoiseScaleArm("both, square-root rule", "sqrt-scaling", _GAMMA / 32, 0.5, 1.0)
ARMS = (GROWTH, DECAY, LINEAR, ROOT)


def variance(gamma: float, batch: int) -> float:
    """Stationary variance of a coordinate of BSP, a = 1 and unit noise: gamma / (n (2 - gamma))."""
    return gamma / (batch * _N * (2 - gamma))


def _quadratic(arm: NoiseScaleArm) -> tuple[Verdict, Floats]:
    """All factors in one chi-square test, z^2 / V of each; and the measured variances."""
    problem, scaled, found = one_hessian(_N, 0.0), [], []
    for factor in _FACTORS:
        gamma, batch = arm.settings_at(factor)
        steps = round(_DAMPING / gamma)
        method = Batched(BSP(ConstantStep(gamma)), FixedBatch(batch))
        trace = run(method, problem, steps=steps, seed=_SEED + factor, replicas=_REPLICAS, points=2)
        z = trace.model.numpy()
        reached = variance(gamma, batch) * (1 - (1 - gamma) ** (2 * steps))
        scaled.append(z / reached**0.5)
        found.append(float(np.square(z).mean()))
    ends = " to ".join(
        f"({g:.3g}, {b})" for g, b in (arm.settings_at(_FACTORS[0]), arm.settings_at(_FACTORS[-1]))
    )
    verdict = mean_square(
        arm.row, f"{arm.label}: E x^2 = gamma s^2 / (n B a (2 - gamma a)) for (gamma, B) from "
        f"{ends}, relative", np.stack(scaled), 1.0, check="noise scale", problem=problem.name,
        provenance=f"seeds {_SEED} + k, k = {_FACTORS}, {_REPLICAS} replicas of {problem.d} "
        "coordinates",
    )  # fmt: skip
    return verdict, np.array(found)


def _stationary(problem: Problem, gamma: float, batch: int) -> Floats:
    """f - f* ``[R]``, each the mean over the second half of a run from x*."""
    steps, every = 2 * round(_MEMORY / (gamma * problem.constants().need("mu"))), 8
    method = Batched(BSP(ConstantStep(gamma)), FixedBatch(batch))
    context, values = world_of(problem, _SEED + batch, 32), []
    best, floor = problem.x_star, problem.f_star
    assert best is not None and floor is not None
    state = method.init(best, context)
    for t in range(steps):
        state = method.step(state, t, context)
        if 2 * t >= steps and t % every == 0:
            values.append(problem.value(method.models(state)[..., 0, :]) - floor)
    return np.asarray(torch.stack(values).mean(0).numpy())


def _logistic() -> tuple[Verdict, ...]:
    """On logistic regression: f - f* is proportional to 1/B, and to gamma to leading order."""
    problem = breast_cancer(_N, L2(0.1), batch=4)
    gamma, factors = 0.3 / problem.constants().need("L"), (1, 2, 4, 8)
    x = np.array(factors, dtype=np.float64)
    grown = np.stack([_stationary(problem, gamma, k) for k in factors], axis=1)
    decayed = np.stack([_stationary(problem, gamma / k, 1) for k in factors[:3]], axis=1)
    description = f"seed {_SEED}, 32 replicas from x*, gamma L = 0.3, error {ALPHA:g}"
    ratios = ", ".join(f"{r:.3f}" for r in grown[:, :3].mean(0) / decayed.mean(0))
    fit = fit_power(x, grown, ALPHA)
    return (
        rate_verdict(
            fit, -1.0, True, subject="batch-growth", variable="B", problem=problem.name,
            claim="stationary f - f* falls as 1/B", provenance=description,
        ),
        Verdict(
            subject="batch-growth", problem=problem.name, check="noise scale",
            claim="stationary f - f*: batch grown k times over stepsize divided by k, 1 to leading "
            "order", outcome=Outcome.COMPARED, statistic=float(grown[:, 2].mean()
            / decayed[:, -1].mean()), bound=1.0,
            evidence=f"ratios {ratios} at k = 1, 2, 4", provenance=description,
        ),
    )  # fmt: skip


@study(
    "batch-growth",
    "quadratic",
    "the stationary variance depends on gamma / B alone, to leading order",
    "noise scale gamma / B [x^2/f]",
    "stationary E x^2 [x^2]",
)
def batch_noise_scale_measure() -> StudyResult:
    """Variances of every arm against its noise scale."""
    verdicts: list[Verdict] = []
    lines: list[PanelLine] = []
    for arm in ARMS:
        verdict, y = _quadratic(arm)
        verdicts.append(verdict)
        pairs = [arm.settings_at(factor) for factor in _FACTORS]
        lines.append(PanelLine(arm.label, np.array([gamma / batch for gamma, batch in pairs]), y))
    scales = np.geomspace(_GAMMA / 64, 2 * _GAMMA, 20)
    lines.append(
        PanelLine("leading order, gamma s^2 / (2 n a B)", scales, scales / (2 * _N), theory=True)
    )
    return StudyResult((*verdicts, *_logistic()), lines)


# Steps to a target against the batch: in proportion at first, then not at all.
#
# Every batch with the best constant stepsize of a grid
# (:mod:`proofs_check.instruments.speedup_search`). In the linear region, a third of the critical
# batch and below, the slope of log S against log B is -1; three times beyond it, 0: to within what
# a grid of ratio sqrt(2) may add, the hyperbola's own slope there, and the statistical error.


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


def slope_of(scanned: BatchScan, used: NDArray[np.bool_]) -> Slope:
    """Over the batches ``used`` (a mask); Student's t over the groups."""
    log_x, counts = np.log(scanned.batches[used]), scanned.steps[:, used]
    centred = (log_x - log_x.mean()) / np.square(log_x - log_x.mean()).sum()
    value = float(centred @ np.log(counts.mean(0)))
    # first order: d log(mean) = (group's count - mean) / mean
    parts = (counts / counts.mean(0) - 1) @ centred
    groups = len(parts)
    half = float(scipy.stats.t.isf(ALPHA / 2, groups - 1) * parts.std(ddof=1)) / groups**0.5
    return Slope(value, half, _OFF_GRID / 2 * float(np.abs(centred).sum()))


def _verdict(
    scanned: BatchScan, curve: Hyperbola, linear: bool, problem: str, description: str
) -> Verdict:
    """-1 up to a third of the critical batch, 0 from three times it on."""
    ends = (0.0, curve.critical / _NEAR) if linear else (curve.critical * _NEAR, math.inf)
    used = (scanned.batches >= ends[0]) & (scanned.batches <= ends[1])
    order, claim = (-1.0, "in proportion to 1/B") if linear else (0.0, "not with B at all")
    where = f"B {'<=' if linear else '>='} {ends[1 if linear else 0]:.3g} base batches"
    if used.sum() < 3:
        return Verdict(
            subject="linear-scaling", problem=problem, check="steps to target",
            claim=f"steps to target fall {claim}", outcome=Outcome.NOT_APPLICABLE,
            evidence=f"fewer than 3 batches with {where}", provenance=description,
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
        provenance=description,
    )  # fmt: skip


def _stepsizes(scanned: BatchScan, curve: Hyperbola, problem: str, description: str) -> Verdict:
    """The best stepsize against the batch, beside the linear rule's exponent."""
    used = scanned.batches <= curve.critical
    slope = float(np.polyfit(np.log(scanned.batches[used]), np.log(scanned.stepsizes[used]), 1)[0])
    found = ", ".join(f"{g:.3g}" for g in scanned.stepsizes)
    return Verdict(
        subject="linear-scaling", problem=problem, check="best stepsize",
        claim="the best stepsize grows in proportion to B up to the critical batch",
        outcome=Outcome.COMPARED, statistic=slope, bound=1.0,
        evidence=f"exponent {slope:.3f} (linear rule 1, square-root rule 0.5); best stepsizes "
        f"{found}", provenance=description,
    )  # fmt: skip


def steps_to_target_measure(
    to_target: StepsToTarget, batches: tuple[int, ...], start: float
) -> StudyResult:
    """Scan, fit, judge, draw."""
    scanned = scan(to_target, batches, start)
    curve, mean = hyperbola(scanned), scanned.steps.mean(0)
    description = (
        f"seeds {to_target.seed} (counts) and {to_target.seed + 1} (search), "
        f"{to_target.groups} groups of "
        f"{to_target.size}, target {to_target.target:g}, error {ALPHA:g}"
    )
    name = to_target.problem.name
    verdicts = (
        _verdict(scanned, curve, True, name, description),
        _verdict(scanned, curve, False, name, description),
        _stepsizes(scanned, curve, name, description),
    )
    x = scanned.batches  # base batches are of one sample
    lines = (
        PanelLine("measured", x, *band(scanned.steps)),
        PanelLine("S_min (1 + B_c/B)", x, curve.steps(x), theory=True),
        PanelLine("perfect scaling", x, mean[0] * x[0] / x, theory=True),
        PanelLine("fewest steps", x, np.full_like(x, curve.fewest), theory=True),
    )
    return StudyResult(verdicts, lines)


@study(
    "linear-scaling",
    "logreg-breast-cancer",
    "steps to target in proportion to 1/B, then constant",
    "batch B [samples]",
    "steps to target",
    name="steps_to_target_logistic",
)
def logistic() -> StudyResult:
    """Breast cancer, one worker: f - f* = 3e-4 from log 2."""
    problem = breast_cancer(1, L2(0.1), batch=1)
    floor = problem.f_star or 0.0
    to_target = StepsToTarget(
        problem, lambda x: problem.value(x) - floor, 3e-4, 6000, 64, 2, 81,
        2 / problem.constants().need("L"),
    )  # fmt: skip
    return steps_to_target_measure(to_target, tuple(4 * 2**k for k in range(12)), 0.01)


@study(
    "linear-scaling",
    "mlp-digits",
    "steps to target in proportion to 1/B, then constant",
    "batch B [samples]",
    "steps to target",
    name="steps_to_target_mlp",
)
def mlp() -> StudyResult:
    """Digits, one worker: f = 0.15 from 2.4."""
    problem = digits_mlp(1, batch=1)
    to_target = StepsToTarget(problem, problem.value, 0.15, 3000, 32, 1, 83, 32.0)
    return steps_to_target_measure(to_target, (4, 8, 16, 32, 64, 256, 512, 1024, 2048), 0.5)

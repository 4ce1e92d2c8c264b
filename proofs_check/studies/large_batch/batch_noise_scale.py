r"""The noise scale gamma sigma^2 / B: growing the batch or decaying the stepsize, scaling both.

Smith et al. 2018 (arXiv:1711.00489): a stage in which the batch doubles ends with the variance of
one in which the stepsize halves, to leading order in gamma a. On the noisy quadratic both variances
are known exactly after any number of steps; on logistic regression they are compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.regularisers import L2
from proofs_check.closed_forms.synchronous.noisy_quadratic import one_hessian
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import ALPHA, mean_square
from proofs_check.instruments.paths import world_of
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep

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

    def at(self, factor: int) -> tuple[float, int]:
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
        gamma, batch = arm.at(factor)
        steps = round(_DAMPING / gamma)
        method = Batched(BSP(ConstantStep(gamma)), FixedBatch(batch))
        trace = run(method, problem, steps=steps, seed=_SEED + factor, replicas=_REPLICAS, points=2)
        z = trace.model.numpy()
        reached = variance(gamma, batch) * (1 - (1 - gamma) ** (2 * steps))
        scaled.append(z / reached**0.5)
        found.append(float(np.square(z).mean()))
    ends = " to ".join(f"({g:.3g}, {b})" for g, b in (arm.at(_FACTORS[0]), arm.at(_FACTORS[-1])))
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
    told = f"seed {_SEED}, 32 replicas from x*, gamma L = 0.3, error {ALPHA:g}"
    ratios = ", ".join(f"{r:.3f}" for r in grown[:, :3].mean(0) / decayed.mean(0))
    fit = fit_power(x, grown, ALPHA)
    return (
        rate_verdict(
            fit, -1.0, True, subject="batch-growth", variable="B", problem=problem.name,
            claim="stationary f - f* falls as 1/B", provenance=told,
        ),
        Verdict(
            subject="batch-growth", problem=problem.name, check="noise scale",
            claim="stationary f - f*: batch grown k times over stepsize divided by k, 1 to leading "
            "order", outcome=Outcome.COMPARED, statistic=float(grown[:, 2].mean()
            / decayed[:, -1].mean()), bound=1.0,
            evidence=f"ratios {ratios} at k = 1, 2, 4", provenance=told,
        ),
    )  # fmt: skip


def measure() -> StudyResult:
    """Variances of every arm against its noise scale."""
    verdicts: list[Verdict] = []
    lines: list[PanelLine] = []
    for arm in ARMS:
        verdict, y = _quadratic(arm)
        verdicts.append(verdict)
        pairs = [arm.at(factor) for factor in _FACTORS]
        lines.append(PanelLine(arm.label, np.array([gamma / batch for gamma, batch in pairs]), y))
    scales = np.geomspace(_GAMMA / 64, 2 * _GAMMA, 20)
    lines.append(
        PanelLine("leading order, gamma s^2 / (2 n a B)", scales, scales / (2 * _N), theory=True)
    )
    return StudyResult((*verdicts, *_logistic()), lines)


STUDY = Study(
    "batch_noise_scale", "batch-growth", "quadratic",
    "the stationary variance depends on gamma / B alone, to leading order",
    "noise scale gamma / B [x^2/f]", "stationary E x^2 [x^2]", measure,
)  # fmt: skip

"""Studies: one-shot averaging."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.curves import RateSeries, band
from proofs_check.evidence.local_updates.studies import PLACE, SAMPLES, skewed
from proofs_check.evidence.local_updates.studies_speedup import Build
from proofs_check.instruments.evidence import ALPHA, identity
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import InverseTimeStep

# One-shot averaging: n workers cannot average away the bias of T steps alone.
#
# Zhang, Duchi, Wainwright 2013 (arXiv:1209.4129): E||xbar - x^*||^2 = O(1/(nT) + 1/T^2), where the
# second term is free of n. Strongly convex logistic regression with one label in eight negative:
# all workers draw from the same 48 samples, from the minimiser, \gamma_t = c/(a + t). The error of
# n workers is B^2 + V/n, so (4 e(4n) - e(n))/3 estimates B^2 without bias; averaging every step,
# B^2 falls with n too. On quadratics with one Hessian the floor is nought: the mean model is that
# of averaging every step, path by path.


_WORKERS = (16, 64, 256, 1024)
_HORIZONS = (16, 48, 128)
_REPLICAS, _SEED, _STEPS, _GROUPS = (
    240,
    151,
    48,
    64,
)
_STEP = InverseTimeStep(64.0, 20.0)
_ONE_SHOT_FLOOR_TOLD = (
    f"Zhang, Duchi, Wainwright 2013; seeds {_SEED} + n + T, "
    f"{_REPLICAS} replicas, from x*, "
    f"gamma_t = 64/(20 + t), batch 1 of {SAMPLES} samples, error {ALPHA:g}"
)


def errors(method: Method[Any], problem: Problem, steps: int, replicas: int) -> Floats:
    """||xbar_T - x*||^2 ``[R]``, started at x*."""
    trace = run(
        method,
        problem,
        steps=steps,
        seed=_SEED + problem.n + steps,
        replicas=replicas,
        points=2,
        x0=problem.x_star,
    )
    return trace.squared_distance[:, -1]


@study(
    "one-shot-averaging",
    PLACE,
    "a floor that n does not lower",
    f"workers n (T = {_STEPS})",
    "E||xbar_T - x*||^2 [x^2]",
)
def one_shot_floor_measure(build: Build = LocalSGD, replicas: int = _REPLICAS) -> StudyResult:
    """The floor for T = 16, 48, 128; speedup when averaging every step; none lost on quadratics.

    ``build`` makes the method with one averaging at the end; H = 1 is local SGD's.
    """
    once = np.stack([_alone(build, n, _STEPS, replicas) for n in _WORKERS], axis=1)
    often = np.stack(
        [errors(LocalSGD(_STEP, 1), skewed(n), _STEPS, replicas) for n in _WORKERS],
        axis=1,
    )
    n = np.array(_WORKERS, dtype=np.float64)
    pairs = [
        once[:, -2:].T
        if steps == _STEPS
        else [_alone(build, m, steps, replicas) for m in _WORKERS[-2:]]
        for steps in _HORIZONS
    ]
    floors = np.stack([_floor(few, many) for few, many in pairs], axis=1)
    verdicts = (
        *(_positive(steps, floors[:, k]) for k, steps in enumerate(_HORIZONS)),
        *_order(floors),
        rate_verdict(
            fit_power(n, often, ALPHA, groups=_GROUPS), -1.0, False,
            subject="local-sgd", variable="n", problem=PLACE, provenance=_ONE_SHOT_FLOOR_TOLD,
            claim="averaging every step, the error falls as 1/n or faster: no floor",
        ),
        _none_on_quadratics(build),
    )  # fmt: skip
    return StudyResult(verdicts, (_curves(n, once, often),))


def _order(floors: Floats) -> tuple[Verdict, ...]:
    """Rate at which the floor falls with T; nothing where there is none."""
    if (floors.mean(axis=0) <= 0).any():
        return ()
    fit = fit_power(
        np.array(_HORIZONS) + _STEP.shift,
        floors,
        ALPHA,
        groups=_GROUPS,
    )
    return (
        rate_verdict(
            fit, -2.0, False, subject="one-shot-averaging", variable="(T + a)", problem=PLACE,
            claim="the floor falls as 1/T^2 or faster", provenance=_ONE_SHOT_FLOOR_TOLD,
        ),
    )  # fmt: skip


def _alone(build: Build, n: int, steps: int, replicas: int) -> Floats:
    return errors(build(_STEP, steps), skewed(n), steps, replicas)


def _floor(few: Floats, many: Floats) -> Floats:
    """Unbiased estimates ``[R]`` of what infinitely many workers leave."""
    ratio = _WORKERS[-1] / _WORKERS[-2]
    return (ratio * many - few) / (ratio - 1)


def _positive(steps: int, floor: Floats) -> Verdict:
    """Is the floor above nought?"""
    mean = float(floor.mean())
    half = float(scipy.stats.t.isf(ALPHA, floor.size - 1) * floor.std(ddof=1)) / floor.size**0.5
    return Verdict(
        subject="one-shot-averaging",
        problem=PLACE,
        claim=f"more workers leave a floor, T = {steps}",
        check="floor in n",
        outcome=Outcome.SUPPORTED if mean - half > 0 else Outcome.REFUTED,
        statistic=mean,
        bound=0.0,
        uncertainty=half,
        resolution=2 * half,
        evidence=f"limit of E||xbar - x*||^2 as n grows {mean:.4g} +- {half:.2g}, from "
        f"n = {_WORKERS[-2]} and {_WORKERS[-1]}",
        provenance=_ONE_SHOT_FLOOR_TOLD,
    )


def _none_on_quadratics(build: Build) -> Verdict:
    """One Hessian, different minimisers: one averaging at the end or one each step, same model."""
    problem = Quadratic.strongly_convex(64, 8, L=1.0, mu=0.25, sigma2=1.0, zeta2=4.0, R2=1.0)
    step, seed = InverseTimeStep(8.0, 32.0), _SEED
    one, other = (
        run(method, problem, steps=256, seed=seed, replicas=8, points=2).model.numpy()
        for method in (build(step, 256), LocalSGD(step, 1))
    )
    return identity(
        "one-shot-averaging",
        "no floor on quadratics with one Hessian: the mean model is that of H = 1",
        one,
        other,
        check="identity, path by path",
        problem=problem.name,
        provenance=f"seed {seed}, 8 replicas, 256 steps, n=64, zeta2=4, equal draws",
    )


def _curves(n: Floats, once: Floats, often: Floats) -> RateSeries:
    """One-shot errors; ``fit`` is B^2 + V/n through the two largest n, ``reference`` is H = 1."""
    mean, low, high = band(once)
    slope = (mean[-2] - mean[-1]) / (1 / n[-2] - 1 / n[-1])
    fit = mean[-1] + slope * (1 / n - 1 / n[-1])
    return RateSeries(n, mean, low, high, fit, often.mean(axis=0))

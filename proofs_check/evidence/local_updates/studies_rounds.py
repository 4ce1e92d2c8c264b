"""Studies: rounds for speedup, rounds for speedup lupa, rounds for speedup pr."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.base import Problem
from algorithms.synchronisation.periods import GrowingPeriod, Periods
from proofs_check.evidence.local_updates.closed_forms_law import FallingLaw, TwoKinds
from proofs_check.evidence.local_updates.studies import skewed
from proofs_check.evidence.local_updates.studies_speedup import (
    speedup_by_moments_measure as measure,
)
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.speedup_search import FACTOR, Longest, longest_period
from proofs_check.instruments.speedup_verdicts import (
    SpeedupGrid,
    against_law,
    beyond,
    error_ratio,
    scan_both,
    scan_with_law,
    table_result,
)
from proofs_check.instruments.study import Study, StudyResult, study
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import InverseTimeStep, Stepsize
from theory.survey.speedup_rounds import rounds
from theory.theorems.local_sgd import local_sgd as theorem

# Rounds that local SGD needs for linear speedup: Table 2 of survey 000, n^{1/2} T^{1/2}.
#
# Half of the workers have Hessian 1 + r and gradient +h at the minimiser, half 1 - r and -h: the
# mean Hessian is the identity, so that local steps cost a bias \gamma (H - 1) r h / 2 and nothing
# else. Stepsizes and metric are those of Stich 2018 (arXiv:1805.09767, Theorem 2.2). Its sufficient
# condition H = O(\sqrt{T/n}) is also necessary here: the bias squared, H^2/T^2, meets the noise
# 1/(nT) at H ~ \sqrt{T/n}. Measured periods are held against those of the exact law, whose own
# exponents at T up to 2^18 are held against the table.


_D, _REPLICAS, _ROUNDS_FOR_SPEEDUP_SEED = 32, 128, 141
_ROUNDS_FOR_SPEEDUP_UNEVEN, _SLOPE = 0.5, 0.5
ROUNDS_FOR_SPEEDUP_GRID = SpeedupGrid(horizons=(128, 512, 2048), workers=(2, 4, 8, 16), middle=512)
FAR = SpeedupGrid(horizons=(2**14, 2**16, 2**18), workers=(2, 8, 32), middle=2**16)


@study(
    "local-sgd",
    "quadratic",
    "n^(1/2) T^(1/2) rounds for linear speedup",
    "steps T",
    "rounds T/H* with error at most 2 e(1)",
)
def rounds_for_speedup_measure(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
    grid: SpeedupGrid = ROUNDS_FOR_SPEEDUP_GRID,
) -> StudyResult:
    """Exponents of T and n in T / H*."""

    def search(n: int, steps: int, guess: int) -> Longest:
        problem = _kinds(n).problem(_D)

        def errors(period: int) -> Floats:
            step, weight = _prescribed(n, period, steps)
            trace = run(
                build(step, period),
                problem,
                steps=steps,
                seed=_ROUNDS_FOR_SPEEDUP_SEED + steps + n,
                replicas=_REPLICAS,
                points=2,
                weight=weight,
            )
            return trace.weighted_suboptimality[:, -1]

        return longest_period(errors, guess, steps)

    return against_law(
        *scan_with_law(grid, search, exact, _guess),
        scan_both(FAR, exact, _guess),
        rounds("local-sgd").exponents,
        left=0.01,
        subject="local-sgd",
        problem="two kinds of worker",
        description=f"Stich 2018, Theorem 2.2: H = O(sqrt(T/n)); seed {_ROUNDS_FOR_SPEEDUP_SEED} + "
        f"T + n, {_REPLICAS} "
        f"replicas of {_D} coordinates, n={grid.workers[0]} along T, T={grid.middle} along n",
    )


def exact(n: int, steps: int, guess: int) -> Longest:
    """The longest period by the exact moments."""

    def errors(period: int) -> Floats:
        step, weight = _prescribed(n, period, steps)
        return np.full(2, FallingLaw(_kinds(n), step, period).suboptimality(steps, weight))

    return longest_period(errors, guess, steps)


def _kinds(n: int) -> TwoKinds:
    return TwoKinds(n, 1.0, _ROUNDS_FOR_SPEEDUP_UNEVEN, _SLOPE)


def _prescribed(n: int, period: int, steps: int) -> tuple[Stepsize, Callable[[int], float]]:
    """Stepsizes and weights of the theorem."""
    c = _kinds(n).problem(1).constants().state(H=period)
    step = theorem.stepsize(c, steps)
    return step, lambda t: theorem.weight(c, step, t)


def _guess(n: int, steps: int) -> float:
    return 2.6 * math.sqrt(steps / n)


# Rounds that LUPA-SGD needs for linear speedup: Table 2 of survey 000, n^{1/3} T^{1/3}.
#
# Haddadpour et al. 2019 (arXiv:1910.13598) take one objective for all workers, the PL inequality,
# stepsizes c/(a + t) and H = O(T^{2/3} / n^{1/3}), equal or growing. On strongly convex logistic
# regression with equal workers the condition is sufficient and far from necessary: local steps cost
# only through the third derivative, and for n up to T even a single round keeps the error within 2.
# With unequal workers (:mod:`proofs_check.evidence.local_updates.studies_rounds`) the same
# periods lose the speedup, so one objective for all is needed.


_ROUNDS_FOR_SPEEDUP_LUPA_SEED = 163
_SKEWED, _ROUNDS_FOR_SPEEDUP_LUPA_UNEVEN = InverseTimeStep(64.0, 40.0), InverseTimeStep(4.0, 17.0)
_PLACE = "skewed logistic"
_DESCRIPTION = (
    f"Haddadpour et al. 2019; seeds {_ROUNDS_FOR_SPEEDUP_LUPA_SEED} + n + T, {_REPLICAS} "
    f"replicas, from x*, "
    f"gamma_t = 64/(40 + t), error {ALPHA:g}"
)
ROUNDS_FOR_SPEEDUP_LUPA_GRID = SpeedupGrid(
    horizons=(256, 512, 1024), workers=(4, 8, 16), middle=512
)
_LARGE = ((64, 256), (256, 256), (256, 64))
"""(n, T) where one round is not enough."""

Build = Callable[[Stepsize, int | Periods], Method[Any]]


def stated(n: int, steps: int) -> int:
    """T^{2/3} / n^{1/3}, at least 1 and at most T."""
    return min(max(int((steps**2 / n) ** (1 / 3)), 1), steps)


@study(
    "lupa-sgd",
    _PLACE,
    "at most n^(1/3) T^(1/3) rounds for linear speedup",
    "steps T",
    "rounds T/H* with error at most 2 e(1)",
)
def rounds_for_speedup_lupa_measure(
    build: Build = LocalSGD, grid: SpeedupGrid = ROUNDS_FOR_SPEEDUP_LUPA_GRID
) -> StudyResult:
    """Longest periods, the stated ones, and what they do to unequal workers."""

    def search(n: int, steps: int, guess: int) -> Longest:
        return longest_period(lambda period: _errors(build, n, steps, period), guess, steps)

    scans = scan_both(grid, search, lambda n, steps: steps)
    table = table_result(
        scans, (1 / 3, 1 / 3), subject="lupa-sgd", problem=_PLACE,
        description=f"{_DESCRIPTION}; n={grid.workers[0]} along T, T={grid.middle} along n",
    )  # fmt: skip
    enough = (verdict for at in _LARGE for verdict in _enough(build, *at))
    return StudyResult((*table.verdicts, *enough, _unequal(build)), table.curves)


def _errors(build: Build, n: int, steps: int, period: int | Periods) -> Floats:
    return _distance(build(_SKEWED, period), skewed(n), steps)


def _distance(method: Method[Any], problem: Problem, steps: int) -> Floats:
    trace = run(
        method,
        problem,
        steps=steps,
        seed=_ROUNDS_FOR_SPEEDUP_LUPA_SEED + problem.n + steps,
        replicas=_REPLICAS,
        points=2,
        x0=problem.x_star,
    )
    return trace.squared_distance[:, -1]


def growing(n: int, steps: int) -> GrowingPeriod:
    """Periods that grow from one step so that n^{1/3} T^{1/3} of them fill T steps."""
    rounds = max(round((n * steps) ** (1 / 3)), 2)
    return GrowingPeriod(1, 2 * (steps - rounds) / (rounds * (rounds - 1)))


def _enough(build: Build, n: int, steps: int) -> tuple[Verdict, ...]:
    """H = T^{2/3}/n^{1/3} throughout, and growing, against averaging every step."""
    every = _errors(LocalSGD, n, steps, 1)
    even, uneven = stated(n, steps), growing(n, steps)
    meetings = sum(uneven.meets(t) for t in range(steps))
    description: tuple[tuple[int | Periods, str], ...] = (
        (even, f"periods H = T^(2/3)/n^(1/3) = {even}"),
        (uneven, f"{meetings} growing periods, n^(1/3) T^(1/3) to rounding,"),
    )
    return tuple(
        error_ratio(
            _errors(build, n, steps, periods), every, FACTOR,
            subject="lupa-sgd", problem=_PLACE, description=_DESCRIPTION,
            claim=f"{words} keep the error within 2, n={n}, T={steps}",
        )
        for periods, words in description
    )  # fmt: skip


def _unequal(build: Build) -> Verdict:
    """The same periods where workers differ."""
    n, steps = 4, 1024
    problem, period = TwoKinds(n, 1.0, 0.5, 0.5).problem(8), stated(n, steps)
    longer, every = (
        _distance(build(_ROUNDS_FOR_SPEEDUP_LUPA_UNEVEN, h), problem, steps) for h in (period, 1)
    )
    return beyond(
        longer,
        every,
        FACTOR,
        subject="lupa-sgd",
        problem="two kinds of worker",
        claim=f"unequal workers: H = T^(2/3)/n^(1/3) = {period} does not keep the error within 2, "
        f"n={n}, T={steps}: one objective for all is needed",
        description=f"seed {_ROUNDS_FOR_SPEEDUP_LUPA_SEED} + n + T, {_REPLICAS} replicas of 8 "
        f"coordinates, gamma_t = 4/(17 + t), "
        f"error {ALPHA:g}",
    )


# Rounds that PR-SGD needs for linear speedup: Table 2 of survey 000, n^{3/4} T^{3/4}.
#
# The update of local SGD under the non-convex metric, (1/T) \sum_t E||\nabla f(\bar x_t)||^2, with
# the constant stepsize \gamma = \sqrt{n} / (L \sqrt{T}) of Yu, Yang, Zhu 2018 (arXiv:1807.06629).
# Workers are of two kinds as in :mod:`proofs_check.evidence.local_updates.studies_rounds`, with
# smaller curvatures, L = 1 bounding them. The drift \gamma^2 H^2 meets the noise \gamma / n at
# H ~ T^{1/4} / n^{3/4}: the sufficient condition is necessary here. What T of some thousand adds
# to the exponents (the time noise takes to build up, H against H - 1) is known exactly: measured
# periods are held against those of the exact law, and the law's own exponents at T up to 2^40
# against the table.


ROUNDS_FOR_SPEEDUP_PR_STUDY = Study(
    "rounds_for_speedup_pr",
    "pr-sgd",
    "quadratic",
    "n^(3/4) T^(3/4) rounds for linear speedup",
    "steps T",
    "rounds T/H* with error at most 2 e(1)",
    measure,
)

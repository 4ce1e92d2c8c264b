r"""Rounds that LUPA-SGD needs for linear speedup: Table 2 of survey 000, n^{1/3} T^{1/3}.

Haddadpour et al. 2019 (arXiv:1910.13598) take one objective for all workers, the PL inequality,
stepsizes c/(a + t) and H = O(T^{2/3} / n^{1/3}), equal or growing. On strongly convex logistic
regression with equal workers the condition is sufficient and far from necessary: local steps cost
only through the third derivative, and for n up to T even a single round keeps the error within 2.
With unequal workers (:mod:`proofs_check.studies.local_updates.rounds_for_speedup`) the same periods
lose the speedup, so one objective for all is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.base import Problem
from algorithms.synchronisation.periods import Growing, Periods
from proofs_check.closed_forms.local_updates.local_law import TwoKinds
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.local_updates.settings import skewed
from proofs_check.studies.shared.speedup_search import FACTOR, Longest, longest_period
from proofs_check.studies.shared.speedup_verdicts import (
    SpeedupGrid,
    beyond,
    error_ratio,
    scan_both,
    table_result,
)
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import InverseTimeStep, Stepsize

_REPLICAS, _SEED = 128, 163
_SKEWED, _UNEVEN = InverseTimeStep(64.0, 40.0), InverseTimeStep(4.0, 17.0)
_PLACE = "skewed logistic"
_TOLD = (
    f"Haddadpour et al. 2019; seeds {_SEED} + n + T, {_REPLICAS} replicas, from x*, "
    f"gamma_t = 64/(40 + t), error {ALPHA:g}"
)
GRID = SpeedupGrid(horizons=(256, 512, 1024), workers=(4, 8, 16), middle=512)
_LARGE = ((64, 256), (256, 256), (256, 64))
"""(n, T) where one round is not enough."""

Build = Callable[[Stepsize, int | Periods], Method[Any]]


def stated(n: int, steps: int) -> int:
    """T^{2/3} / n^{1/3}, at least 1 and at most T."""
    return min(max(int((steps**2 / n) ** (1 / 3)), 1), steps)


def measure(build: Build = LocalSGD, grid: SpeedupGrid = GRID) -> StudyResult:
    """Longest periods, the stated ones, and what they do to unequal workers."""

    def search(n: int, steps: int, guess: int) -> Longest:
        return longest_period(lambda period: _errors(build, n, steps, period), guess, steps)

    scans = scan_both(grid, search, lambda n, steps: steps)
    table = table_result(
        scans, (1 / 3, 1 / 3), subject="lupa-sgd", problem=_PLACE,
        told=f"{_TOLD}; n={grid.workers[0]} along T, T={grid.middle} along n",
    )  # fmt: skip
    enough = (verdict for at in _LARGE for verdict in _enough(build, *at))
    return StudyResult((*table.verdicts, *enough, _unequal(build)), table.curves)


def _errors(build: Build, n: int, steps: int, period: int | Periods) -> Floats:
    return _distance(build(_SKEWED, period), skewed(n), steps)


def _distance(method: Method[Any], problem: Problem, steps: int) -> Floats:
    trace = run(
        method, problem, steps=steps, seed=_SEED + problem.n + steps, replicas=_REPLICAS,
        points=2, x0=problem.x_star,
    )  # fmt: skip
    return trace.squared_distance[:, -1]


def growing(n: int, steps: int) -> Growing:
    """Periods that grow from one step so that n^{1/3} T^{1/3} of them fill T steps."""
    rounds = max(round((n * steps) ** (1 / 3)), 2)
    return Growing(1, 2 * (steps - rounds) / (rounds * (rounds - 1)))


def _enough(build: Build, n: int, steps: int) -> tuple[Verdict, ...]:
    """H = T^{2/3}/n^{1/3} throughout, and growing, against averaging every step."""
    every = _errors(LocalSGD, n, steps, 1)
    even, uneven = stated(n, steps), growing(n, steps)
    meetings = sum(uneven.meets(t) for t in range(steps))
    told: tuple[tuple[int | Periods, str], ...] = (
        (even, f"periods H = T^(2/3)/n^(1/3) = {even}"),
        (uneven, f"{meetings} growing periods, n^(1/3) T^(1/3) to rounding,"),
    )
    return tuple(
        error_ratio(
            _errors(build, n, steps, periods), every, FACTOR,
            subject="lupa-sgd", problem=_PLACE, told=_TOLD,
            claim=f"{words} keep the error within 2, n={n}, T={steps}",
        )
        for periods, words in told
    )  # fmt: skip


def _unequal(build: Build) -> Verdict:
    """The same periods where workers differ."""
    n, steps = 4, 1024
    problem, period = TwoKinds(n, 1.0, 0.5, 0.5).problem(8), stated(n, steps)
    longer, every = (_distance(build(_UNEVEN, h), problem, steps) for h in (period, 1))
    return beyond(
        longer, every, FACTOR, subject="lupa-sgd", problem="two kinds of worker",
        claim=f"unequal workers: H = T^(2/3)/n^(1/3) = {period} does not keep the error within 2, "
        f"n={n}, T={steps}: one objective for all is needed",
        told=f"seed {_SEED} + n + T, {_REPLICAS} replicas of 8 coordinates, gamma_t = 4/(17 + t), "
        f"error {ALPHA:g}",
    )  # fmt: skip


STUDY = Study(
    "rounds_for_speedup_lupa",
    "lupa-sgd",
    _PLACE,
    "at most n^(1/3) T^(1/3) rounds for linear speedup",
    "steps T",
    "rounds T/H* with error at most 2 e(1)",
    measure,
)

"""Rounds for linear speedup of PR-SGD and CoCoD-SGD, measured and by the exact moments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from proofs_check.closed_forms.local_updates.local_law import LocalLaw, TwoKinds
from proofs_check.instruments.study import StudyResult
from proofs_check.studies.shared.speedup_search import Longest, longest_period
from proofs_check.studies.shared.speedup_verdicts import (
    SpeedupGrid,
    against_law,
    scan_both,
    scan_with_law,
)
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize
from theory.survey.speedup_rounds import rounds

_D, _REPLICAS, _SEED, _L = 32, 64, 143, 1.0
_EVERY = 5  # steps between looks at the gradient
_PLACE = "two kinds of worker"
GRID = SpeedupGrid(horizons=(512, 2048, 8192), workers=(2, 4, 8, 16), middle=1024)
FAR = SpeedupGrid(horizons=(2**28, 2**34, 2**40), workers=(2, 8, 32), middle=2**40)


def _kinds(n: int) -> TwoKinds:
    return TwoKinds(n, 0.2, 0.5, 1.0)


def _gamma(n: int, steps: int) -> float:
    return math.sqrt(n / steps) / _L


def _guess(n: int, steps: int) -> float:
    return 6.0 * math.sqrt(math.sqrt(steps / n)) / math.sqrt(n)


def exact(n: int, steps: int, guess: int, overlapped: bool = False) -> Longest:
    """The longest period by the exact moments."""

    def errors(period: int) -> Floats:
        law = LocalLaw(_kinds(n), _gamma(n, steps), period, overlapped)
        return np.full(2, law.average_squared_gradient(steps))

    return longest_period(errors, guess, steps)


def measure(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
    grid: SpeedupGrid = GRID,
    *,
    overlapped: bool = False,
    subject: str = "pr-sgd",
    source: str = "Yu, Yang, Zhu 2018, corollary of Theorem 1: H <= T^(1/4) / n^(3/4)",
) -> StudyResult:
    """Exponents of T and n in T / H*: measured, exact on the same range, and exact far out."""

    def search(n: int, steps: int, guess: int) -> Longest:
        problem, step = _kinds(n).problem(_D), ConstantStep(_gamma(n, steps))

        def errors(period: int) -> Floats:
            trace = run(
                build(step, period), problem, steps=steps, seed=_SEED + steps + n,
                replicas=_REPLICAS, points=2, every=_EVERY,
            )  # fmt: skip
            return trace.average_squared_gradient[:, -1]

        return longest_period(errors, guess, steps)

    def law(n: int, steps: int, guess: int) -> Longest:
        return exact(n, steps, guess, overlapped)

    return against_law(
        *scan_with_law(grid, search, law, _guess),
        scan_both(FAR, law, _guess),
        rounds("pr-sgd").exponents,
        left=0.005,
        subject=subject,
        problem=_PLACE,
        told=f"{source}; seed {_SEED} + T + n, {_REPLICAS} replicas of {_D} coordinates, "
        f"n={grid.workers[0]} along T, T={grid.middle} along n",
    )

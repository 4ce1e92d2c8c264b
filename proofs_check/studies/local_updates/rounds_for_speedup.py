r"""Rounds that local SGD needs for linear speedup: Table 2 of survey 000, n^{1/2} T^{1/2}.

Half of the workers have Hessian 1 + r and gradient +h at the minimiser, half 1 - r and -h: the mean
Hessian is the identity, so that local steps cost a bias \gamma (H - 1) r h / 2 and nothing else.
Stepsizes and metric are those of Stich 2018 (arXiv:1805.09767, Theorem 2.2). Its sufficient
condition H = O(\sqrt{T/n}) is also necessary here: the bias squared, H^2/T^2, meets the noise
1/(nT) at H ~ \sqrt{T/n}. Measured periods are held against those of the exact law, whose own
exponents at T up to 2^18 are held against the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from proofs_check.closed_forms.local_updates.local_law import TwoKinds
from proofs_check.closed_forms.local_updates.local_law_falling import FallingLaw
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.shared.speedup_search import Longest, longest_period
from proofs_check.studies.shared.speedup_verdicts import (
    SpeedupGrid,
    against_law,
    scan_both,
    scan_with_law,
)
from theory.arrays import Floats
from theory.stepsizes import Stepsize
from theory.survey.speedup_rounds import rounds
from theory.theorems.local_sgd import local_sgd as theorem

_D, _REPLICAS, _SEED = 32, 128, 141
_UNEVEN, _SLOPE = 0.5, 0.5
GRID = SpeedupGrid(horizons=(128, 512, 2048), workers=(2, 4, 8, 16), middle=512)
FAR = SpeedupGrid(horizons=(2**14, 2**16, 2**18), workers=(2, 8, 32), middle=2**16)


def measure(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD, grid: SpeedupGrid = GRID
) -> StudyResult:
    """Exponents of T and n in T / H*."""

    def search(n: int, steps: int, guess: int) -> Longest:
        problem = _kinds(n).problem(_D)

        def errors(period: int) -> Floats:
            step, weight = _prescribed(n, period, steps)
            trace = run(
                build(step, period), problem, steps=steps, seed=_SEED + steps + n,
                replicas=_REPLICAS, points=2, weight=weight,
            )  # fmt: skip
            return trace.weighted_suboptimality[:, -1]

        return longest_period(errors, guess, steps)

    return against_law(
        *scan_with_law(grid, search, exact, _guess),
        scan_both(FAR, exact, _guess),
        rounds("local-sgd").exponents,
        left=0.01,
        subject="local-sgd",
        problem="two kinds of worker",
        told=f"Stich 2018, Theorem 2.2: H = O(sqrt(T/n)); seed {_SEED} + T + n, {_REPLICAS} "
        f"replicas of {_D} coordinates, n={grid.workers[0]} along T, T={grid.middle} along n",
    )


def exact(n: int, steps: int, guess: int) -> Longest:
    """The longest period by the exact moments."""

    def errors(period: int) -> Floats:
        step, weight = _prescribed(n, period, steps)
        return np.full(2, FallingLaw(_kinds(n), step, period).suboptimality(steps, weight))

    return longest_period(errors, guess, steps)


def _kinds(n: int) -> TwoKinds:
    return TwoKinds(n, 1.0, _UNEVEN, _SLOPE)


def _prescribed(n: int, period: int, steps: int) -> tuple[Stepsize, Callable[[int], float]]:
    """Stepsizes and weights of the theorem."""
    c = _kinds(n).problem(1).constants().state(H=period)
    step = theorem.stepsize(c, steps)
    return step, lambda t: theorem.weight(c, step, t)


def _guess(n: int, steps: int) -> float:
    return 2.6 * math.sqrt(steps / n)


STUDY = Study(
    "rounds_for_speedup",
    "local-sgd",
    "quadratic",
    "n^(1/2) T^(1/2) rounds for linear speedup",
    "steps T",
    "rounds T/H* with error at most 2 e(1)",
    measure,
)

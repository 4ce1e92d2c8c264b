r"""Rounds that CoCoD-SGD needs for linear speedup: Table 2 of survey 000, n^{3/4} T^{3/4}.

As :mod:`proofs_check.studies.local_updates.rounds_for_speedup_pr`, with averages that are one
period old (Shen et al. 2019, arXiv:1906.12043): the same stepsize, metric and unequal workers, held
against its own exact law. Overlap costs a constant in the period, none in the exponents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.cooperative.cocod import CoCoD
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.local_updates import speedup_by_moments
from proofs_check.studies.local_updates.speedup_by_moments import GRID
from proofs_check.studies.shared.speedup_verdicts import SpeedupGrid
from theory.stepsizes import Stepsize


def measure(
    build: Callable[[Stepsize, int], Method[Any]] = CoCoD, grid: SpeedupGrid = GRID
) -> StudyResult:
    """Exponents of T and n in T / H*: measured, exact on the same range, and exact far out."""
    return speedup_by_moments.measure(
        build,
        grid,
        overlapped=True,
        subject="cocod-sgd",
        source="Shen et al. 2019: H <= T^(1/4) / n^(3/4)",
    )


STUDY = Study(
    "rounds_for_speedup_cocod",
    "cocod-sgd",
    "quadratic",
    "n^(3/4) T^(3/4) rounds for linear speedup",
    "steps T",
    "rounds T/H* with error at most 2 e(1)",
    measure,
)

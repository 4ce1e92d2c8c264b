"""A quantiser of constant bits converges linearly where its range shrinks, and stalls else."""

from __future__ import annotations

from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.variance_reduced.refined import RefinedQuantisation
from proofs_check.closed_forms.variance_reduced.convergence import reaches, stalls
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize


def _refined(step: Stepsize) -> Method[Any]:
    return RefinedQuantisation(step, 4, 4.0, 0.985)


def _fixed_range(step: Stepsize) -> Method[Any]:
    return RefinedQuantisation(step, 4, 4.0, 1.0)


def adaptive_quantisation() -> tuple[Verdict, ...]:
    """Four bits on a shrinking range, and on a fixed one."""
    row = "adaptive-quantisation"
    return (
        reaches(row, _refined, 0.9, 2500, "4 bits on a shrinking range"),
        stalls(row, _fixed_range, 0.9, 2500, "4 bits on a fixed range"),
    )


CLOSED_FORMS = (adaptive_quantisation,)

"""AsyLPG converges linearly in low precision both ways."""

from __future__ import annotations

from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.closed_forms.variance_reduced.convergence import reaches
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize


def _asylpg(step: Stepsize) -> Method[Any]:
    return AsyLPG(step, 12_000, Exponential(), 200)


def asylpg() -> tuple[Verdict, ...]:
    """Linear convergence over 12 000 ticks in low precision both ways."""
    return (reaches("asylpg", _asylpg, 0.05, 12_000, "AsyLPG, both ways in low precision"),)


CLOSED_FORMS = (asylpg,)

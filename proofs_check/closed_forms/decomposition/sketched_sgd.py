"""Sketched-SGD with error feedback: nothing is lost."""

from __future__ import annotations

from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD
from proofs_check.closed_forms.decomposition.residuals import nothing_is_lost
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize


def sketched(step: Stepsize) -> Method[Any]:
    """Sketched-SGD with k = 2 and sketches of 3 rows, 8 counters each."""
    return SketchedSGD(step, 2, rows=3, width=8)


def sketched_sgd() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of Sketched-SGD is SGD."""
    return (nothing_is_lost("sketched-sgd", sketched),)


CLOSED_FORMS = (sketched_sgd,)

"""Sketched-SGD with error feedback: nothing is lost."""

from __future__ import annotations

from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD
from proofs_check.closed_forms.decomposition.residuals import nothing_is_lost
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize


def sketched(step: Stepsize) -> Method[Any]:
    """Sketched-SGD, k = 2."""
    return SketchedSGD(step, 2, rows=3, width=8)


def sketched_sgd() -> tuple[Verdict, ...]:
    """The virtual iterate."""
    return (nothing_is_lost("sketched-sgd", sketched),)


CLOSED_FORMS = (sketched_sgd,)

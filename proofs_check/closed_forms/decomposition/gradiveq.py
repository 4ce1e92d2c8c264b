"""GradiVeQ with error feedback: nothing is lost."""

from __future__ import annotations

from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.decomposition.gradiveq import GradiVeQ
from proofs_check.closed_forms.decomposition.residuals import nothing_is_lost
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize


def learned(step: Stepsize) -> Method[Any]:
    """GradiVeQ with error feedback."""
    return GradiVeQ(step, length=5, k=2, learn=4, cycle=20, feedback=True)


def gradiveq() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of GradiVeQ is SGD."""
    return (nothing_is_lost("gradiveq", learned),)


CLOSED_FORMS = (gradiveq,)

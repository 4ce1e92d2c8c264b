"""PowerSGD with error feedback: nothing is lost."""

from __future__ import annotations

from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.decomposition.powersgd import PowerSGD
from proofs_check.closed_forms.decomposition.residuals import nothing_is_lost
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize


def power(step: Stepsize) -> Method[Any]:
    """PowerSGD with matrices of rank 1 and error feedback."""
    return PowerSGD(step, 1)


def powersgd() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of PowerSGD is SGD."""
    return (nothing_is_lost("powersgd", power),)


CLOSED_FORMS = (powersgd,)

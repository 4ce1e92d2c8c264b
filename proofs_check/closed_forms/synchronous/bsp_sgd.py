"""BSP-SGD: the parameter server's form, seconds of a step, and momentum-free descent."""

from __future__ import annotations

from algorithms.memories.base import NoMemory
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Exponential, ShiftedExponential
from proofs_check.closed_forms.auxiliary.momentum import settles
from proofs_check.closed_forms.synchronous.barriers import (
    WORKERS,
    harmonic,
    same_as_bsp,
    step_seconds,
)
from proofs_check.verdict import Verdict


def bsp_sgd() -> tuple[Verdict, ...]:
    """A barrier that waits for all, the slowest of n, and x^2/2 without momentum."""
    return (
        same_as_bsp(Bulk(), "bsp-sgd"),
        step_seconds(Bulk(), "bsp-sgd", harmonic(WORKERS), Exponential()),
        step_seconds(Bulk(), "bsp-sgd", 0.5 + 2 * harmonic(WORKERS), ShiftedExponential(0.5, 2.0)),
        settles(NoMemory(), "bsp-sgd", 0.01, 1000, 1e-3),
    )


CLOSED_FORMS = (bsp_sgd,)

"""Eager SSP keeps what SSP promises."""

from __future__ import annotations

from algorithms.synchronisation.stale import EagerSSP
from proofs_check.closed_forms.synchronous.barriers import same_as_bsp
from proofs_check.closed_forms.synchronous.ssp import clock_gap
from proofs_check.verdict import Verdict


def essp() -> tuple[Verdict, ...]:
    """Clocks, and the limit s = 0."""
    return (*clock_gap(EagerSSP, "essp"), same_as_bsp(EagerSSP(0), "essp"))


CLOSED_FORMS = (essp,)

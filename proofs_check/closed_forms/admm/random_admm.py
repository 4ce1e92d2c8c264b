"""Randomised ADMM, an edge at a time: it ends at the minimiser."""

from __future__ import annotations

from algorithms.methods.admm.admm_random import RandomADMM
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.admm.solutions import STEP, Change, N, minimiser, right
from proofs_check.verdict import Verdict


def random_edges(change: Change = right) -> Verdict:
    """ADMM with one random edge at a time ends at the minimiser of the mean."""
    return minimiser("random-admm", lambda: change(RandomADMM(STEP, Ring(N))), 3000)


def random_admm() -> tuple[Verdict, ...]:
    """Where randomised ADMM ends: at the minimiser."""
    return (random_edges(),)


CLOSED_FORMS = (random_admm,)

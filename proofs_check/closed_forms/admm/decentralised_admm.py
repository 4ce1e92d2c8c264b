"""Decentralised ADMM, workers in turn: it ends at the minimiser."""

from __future__ import annotations

from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.admm.solutions import STEP, Change, N, minimiser, right
from proofs_check.verdict import Verdict


def in_turn(change: Change = right) -> Verdict:
    """ADMM with one worker after the other ends at the minimiser of the mean."""
    method = GraphADMM(STEP, Ring(N), coloured=False)
    return minimiser("decentralised-admm", lambda: change(method), 300)


def decentralised_admm() -> tuple[Verdict, ...]:
    """Where decentralised ADMM ends: at the minimiser."""
    return (in_turn(),)


CLOSED_FORMS = (decentralised_admm,)

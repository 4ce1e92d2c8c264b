"""D-ADMM: its minimiser, and duals that sum to zero and tend to -grad f_i(x*)."""

from __future__ import annotations

import torch

from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.admm.solutions import STEP, TOLD, Change, N, minimiser, right, uneven
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict


def coloured(change: Change = right) -> Verdict:
    """D-ADMM ends at the minimiser of the mean."""
    return minimiser("d-admm", lambda: change(GraphADMM(STEP, Ring(N))), 300)


def duals(change: Change = right) -> tuple[Verdict, ...]:
    """D-ADMM's duals sum to zero always, and tend to -grad f_i(x*)."""
    problem = uneven()
    moments = list(path(change(GraphADMM(STEP, Ring(N))), problem, 300))
    sums = torch.stack([moment.state.p.sum(-2) for moment in moments])
    best = problem.full_gradient(problem.x_star[None], torch.arange(N))
    return (
        identity(
            "d-admm", "duals sum to zero at every step", sums.numpy(), 0.0,
            check="closed form", problem=problem.name, provenance=TOLD,
        ),
        identity(
            "d-admm", "duals tend to -grad f_i(x*)", moments[-1].state.p[0].numpy(),
            -best.numpy(), check="closed form", problem=problem.name, tolerance=1e-8,
            provenance=TOLD,
        ),
    )  # fmt: skip


def d_admm() -> tuple[Verdict, ...]:
    """The minimiser and the duals."""
    return (coloured(), *duals())


CLOSED_FORMS = (d_admm,)

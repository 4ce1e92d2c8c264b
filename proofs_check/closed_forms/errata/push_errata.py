"""Erratum E34: what stochastic gradient push sends."""

from __future__ import annotations

import torch

from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_directed.push_sum import PushState
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.errata.errata import erratum
from proofs_check.closed_forms.gossip.choco import consensus_problem
from proofs_check.closed_forms.gossip_directed.push_sum import DIGRAPH
from proofs_check.instruments.paths import path
from proofs_check.methods.faulty.push import GradientSent
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


def push_errata() -> tuple[Verdict, ...]:
    """Workers that start apart, no forces: those that send gradients never hear of each other."""
    method = SGP(ConstantStep(0.1), FixedLinks(DIGRAPH))
    b = consensus_problem(DIGRAPH.n, 3, 56).c[None]
    flat = torch.zeros_like(b[0])
    apart = PushState(b, torch.ones_like(b[..., :1]))
    left = []
    for form in (method, GradientSent(method)):
        *_, last = path(form, Quadratic.from_arrays(flat, flat), 150, state=apart)
        z = method.models(last.state)
        left.append(float((z - z.mean(-2, keepdim=True)).abs().max()))
    started = float((b - b.mean(-2, keepdim=True)).abs().max())
    return (
        erratum(
            "E34",
            "sgp",
            "parameters and weights are sent: workers come to agree (without forces, in 150 steps)",
            (left[0], 0.0),
            (left[1], 0.0),
            f"the largest distance from the mean, {started:.4g} at the start",
        ),
    )


CLOSED_FORMS = (push_errata,)

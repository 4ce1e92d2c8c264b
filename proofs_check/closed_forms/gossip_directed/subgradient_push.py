"""Where subgradient-push stops: it mixes before it takes its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from proofs_check.closed_forms.gossip_directed.push_sum import DIGRAPH, perron
from proofs_check.closed_forms.gossip_directed.sgp import GAMMA, STEP, STEPS, targets
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize

Build = Callable[[Stepsize, Exchange], Method[Any]]


def subgradient_push_fixed_point(build: Build = SubgradientPush) -> Verdict:
    r"""Mixing first: (I - P + \gamma D^{-1} P) x = \gamma b, z = D^{-1} P x."""
    problem, b = targets()
    p = DIGRAPH.matrix(0)
    v = perron(p.T)[:, None] * DIGRAPH.n
    x = np.linalg.solve(np.eye(DIGRAPH.n) - p + GAMMA * p / v, GAMMA * b)
    method = build(STEP, FixedLinks(DIGRAPH))
    *_, last = path(method, problem, STEPS)
    return identity(
        "subgradient-push",
        "ratios stop where (I - P + gamma P / v) x = gamma b, z = P x / v, rows divided",
        method.models(last.state)[0],
        p @ x / v,
        check="fixed point",
        problem=problem.name,
        tolerance=1e-10,
        provenance=f"{STEPS} steps without noise on {DIGRAPH.name}, gamma {GAMMA}, seed 53",
    )


def subgradient_push() -> tuple[Verdict, ...]:
    """The solution of its linear system."""
    return (subgradient_push_fixed_point(),)


CLOSED_FORMS = (subgradient_push,)

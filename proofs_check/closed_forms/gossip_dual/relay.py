r"""Information travels one hop a round: the lower bound on its own instance, for every method.

On :class:`NesterovChain` over a path of n workers, after R rounds of messages no worker has a
nonzero coordinate beyond \lfloor R/(n - 1) \rfloor (from 0), whatever it does with its own f_i, so
that its distance from x* is at least that of x*'s tail. Zeros are exact in floating point. A method
that is nearer has heard more than its neighbours told it. D-PSGD's is in
``closed_forms.gossip.d_psgd``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.methods.parts.sliding_rules import ConvexSliding
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.nesterov_chain import NesterovChain
from algorithms.topologies.path import Path
from proofs_check.closed_forms.admm.solutions import right
from proofs_check.instruments.paths import path
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

COVERS = ("dcs", "dual-accelerated", "mspd", "ssda-msda")

Change = Callable[[Any], Method[Any]]
_N, _D, _STEPS = 7, 40, 120


def cone(row: str, method: Method[Any], problem: NesterovChain) -> Verdict:
    """Every worker's nonzero coordinates and distance, against rounds of messages so far."""
    tail = problem.x_star.square().flip(0).cumsum(0).flip(0).sqrt().numpy()
    per_round = 64 * problem.d  # bits of an uncompressed row, which an end sends once a round
    beyond, tightest, widest = -problem.d, np.inf, 0
    for moment in path(method, problem, _STEPS):
        rounds = int(moment.context.network.account().sent_bits[..., 0].sum()) // per_round
        most = min(rounds // (problem.n - 1), problem.d - 1)
        rows = method.models(moment.state)[0]
        reached = int(torch.cat(((rows != 0).any(0).nonzero()[:, 0], torch.tensor([-1]))).max())
        beyond = max(beyond, reached - most)
        nearest = float((rows - problem.x_star).norm(dim=-1).min())
        tightest = min(tightest, nearest / max(tail[most + 1 :].max(initial=0.0), 1e-300))
        widest = max(widest, rounds)
    return Verdict(
        subject=row,
        problem=problem.name,
        claim="after R rounds no worker knows coordinates beyond R/(n-1): the lower bound's "
        "tail of x* stays",
        check="light cone",
        outcome=Outcome.SUPPORTED if beyond <= 0 and tightest >= 1 else Outcome.REFUTED,
        statistic=float(beyond),
        bound=0.0,
        tightness=1 / tightest,
        resolution=0.0,
        evidence=f"{method.name}: coordinates at most {beyond} beyond the cone in {widest} "
        f"rounds; nearest worker at {tightest:.4g} times the tail",
        provenance=f"{_STEPS} steps, path of {problem.n}, {problem.d} coordinates",
    )


def hard_instance() -> tuple[NesterovChain, Path]:
    """The lower bound's problem, L = 400, and the path of workers on which it is hard."""
    return NesterovChain(_N, _D, 1.0, 400.0), Path(_N)


def ssda_cone(change: Change = right) -> Verdict:
    """SSDA on the hard instance."""
    problem = NesterovChain(_N, _D, 1.0, 400.0)
    return cone("ssda-msda", change(SSDA(Path(_N), LocalModel.of(problem))), problem)


def relay() -> tuple[Verdict, ...]:
    """SSDA, MSDA, FISTA on the dual, MSPD and sliding on the hard instance."""
    problem, topology = hard_instance()
    local, step = LocalModel.of(problem), ConstantStep(1 / 400.0)
    cases: tuple[tuple[str, Method[Any]], ...] = (
        ("ssda-msda", MSDA(topology, local)),
        ("dual-accelerated", DualAccelerated(topology, local)),
        ("mspd", MSPD(step, topology, 6)),
        ("dcs", CommunicationSliding(ConvexSliding(1 / 400.0), topology, 6)),
    )
    return (ssda_cone(), *(cone(row, method, problem) for row, method in cases))


CLOSED_FORMS = (relay,)

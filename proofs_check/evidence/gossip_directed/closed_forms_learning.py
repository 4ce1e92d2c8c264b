"""Closed forms: sgp, subgradient push."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.methods.parts.push import PushState
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import MixingSequence
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.evidence.gossip_directed.closed_forms import DIGRAPH, perron
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.paths import path
from proofs_check.methods.faulty.push import GradientSent
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

# SGP and its overlapped form: where they stop without noise, and what is in flight is not lost.
#
# With a constant column-stochastic P, right Perron vector v (entries summing to n) and
# f_i(x) = a (x - b_i)^2 / 2, w tends to v and SGP to the solution of
#
#     (I - P + \gamma a P D^{-1}) x = \gamma a P b,    D = diag(v),    z = D^{-1} x,
#
# a bias of the order gamma. Its mean is \sum_i x_i / n with \sum_i a (z_i - b_i) = 0: the mean of
# the z_i is that of the b_i whatever the graph, while row-stochastic weights weigh the f_i by
# Perron. (Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792; the solution is derived here.)


Build = Callable[[Stepsize, Exchange], Method[Any]]
Overlap = Callable[[Stepsize, MixingSequence, int], Method[Any]]
GAMMA, STEPS = 0.1, 400
STEP = ConstantStep(GAMMA)


def targets() -> tuple[Quadratic, Floats]:
    """f_i(x) = ||x - b_i||^2 / 2 in three dimensions, standard normal b_i, and b."""
    b = np.random.default_rng(53).normal(size=(DIGRAPH.n, 3))
    return Quadratic.from_arrays(torch.ones(b.shape, dtype=torch.float64), torch.from_numpy(b)), b


sgp = ClosedForms("sgp")
"""Closed forms of sgp."""


@sgp.case("fixed point", f"{STEPS} steps without noise on {DIGRAPH.name}, gamma {GAMMA}, seed 53")
def sgp_fixed_point(build: Build = SGP) -> Iterator[Verdict]:
    """All z_i against the linear system; their mean against that of the b_i."""
    problem, b = targets()
    p = DIGRAPH.matrix(0)
    v = perron(p.T) * DIGRAPH.n
    x = np.linalg.solve(np.eye(DIGRAPH.n) - p + GAMMA * p / v[None, :], GAMMA * p @ b)
    method = build(STEP, FixedLinks(DIGRAPH))
    *_, last = path(method, problem, STEPS)
    z = method.models(last.state)[0].numpy()
    yield same(
        "models stop where (I - P + gamma P / v) x = gamma P b, z = x / v", z, x / v[:, None],
        tolerance=1e-10, on=problem,
    )  # fmt: skip
    yield same(
        "the mean of the z_i is that of the minimisers b_i, whatever the graph", z.mean(0),
        b.mean(0), tolerance=1e-10, on=problem,
    )  # fmt: skip


@sgp.case("mass", f"9 steps without noise on {DIGRAPH.name}, gamma {GAMMA}, seed 53")
def overlap_keeps_mass(build: Overlap = OverlapSGP) -> Iterator[Verdict]:
    r"""Weight n and \sum x = n x_0 - \gamma \sum_s \sum_i g_i(z_i^s), flights counted."""
    problem, b = targets()
    for tau in (1, 3):
        method = build(STEP, DIGRAPH, tau)
        moved, held, due = np.zeros(3), [], []
        for moment in path(method, problem, 9):
            s, w, flight = (part[0].numpy() for part in moment.state)
            total = np.append(s.sum(0), w.sum()) + flight.sum(0)
            held.append(total)
            due.append(np.append(moved, float(DIGRAPH.n)))
            moved = moved - GAMMA * (s / w - b).sum(0)
        yield same(
            f"{tau}-OSGP: workers and flights hold weight n and all steps taken", np.array(held),
            np.array(due), on=problem,
        )  # fmt: skip


@demonstrates(
    "E34",
    "sgp",
    "parameters and weights are sent: workers come to agree (without forces, in 150 steps)",
    covers=("gossipgrad", "sgp", "subgradient-push"),
)
def e34() -> Shown:
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
        (left[0], 0.0),
        (left[1], 0.0),
        f"the largest distance from the mean, {started:.4g} at the start",
    )


# Where subgradient-push stops: it mixes before it takes its gradient.


subgradient_push = ClosedForms("subgradient-push")
"""Closed forms of subgradient-push."""


@subgradient_push.case(
    "fixed point", f"{STEPS} steps without noise on {DIGRAPH.name}, gamma {GAMMA}, seed 53"
)
def subgradient_push_fixed_point(build: Build = SubgradientPush) -> Verdict:
    r"""Mixing first: (I - P + \gamma D^{-1} P) x = \gamma b, z = D^{-1} P x."""
    problem, b = targets()
    p = DIGRAPH.matrix(0)
    v = perron(p.T)[:, None] * DIGRAPH.n
    x = np.linalg.solve(np.eye(DIGRAPH.n) - p + GAMMA * p / v, GAMMA * b)
    method = build(STEP, FixedLinks(DIGRAPH))
    *_, last = path(method, problem, STEPS)
    return same(
        "ratios stop where (I - P + gamma P / v) x = gamma b, z = P x / v, rows divided",
        method.models(last.state)[0], p @ x / v, tolerance=1e-10, on=problem,
    )  # fmt: skip

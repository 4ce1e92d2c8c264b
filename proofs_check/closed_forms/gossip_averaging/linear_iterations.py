r"""x <- W x: the whole curve under lam^{2t}, equality on the slowest eigenvector, and who is first.

(Xiao, Boyd 2004, Systems and Control Letters 53.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.problems.base import Problem
from algorithms.problems.entries import problem
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.optimal_weights import FDLA, FMMC
from algorithms.topologies.ring import Ring
from algorithms.topologies.weights import BestConstant, MetropolisHastings
from proofs_check.closed_forms.gossip_averaging.weights import eight_nodes
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.theorems.gossip_averaging import gossip_averaging

COVERS = ("fdla",)

Build = Callable[[Exchange], Method[Any]]

_ROUNDING = 1e-25  # of squared distances, whose start is of order 100
_SOURCE = "Xiao, Boyd 2004, Theorem 1"
_BY_SPEED = (FDLA(), FMMC(), BestConstant(), MetropolisHastings(plus_one=False))


def linear_iterations() -> tuple[Verdict, ...]:
    """All of it on the 8-node graph, rings of either kind, and the four weightings."""
    topologies: tuple[Topology, ...] = (
        Ring(8), DirectedRing(8), *(eight_nodes(rule) for rule in _BY_SPEED),
    )  # fmt: skip
    return (
        *(under_the_bound(topology) for topology in topologies),
        *(slowest_eigenvector(topology) for topology in topologies),
        faster_by_weights(),
    )


def under_the_bound(topology: Topology, build: Build = GossipAveraging) -> Verdict:
    """The sum of squared distances along a run, step by step, under the theorem's curve."""
    built, steps = problem("consensus", topology.n), 100
    c = GossipAveraging(FixedLinks(topology)).constants(built)
    distances, times = _distances(build(FixedLinks(topology)), built, steps)
    bound = gossip_averaging.bound(c, gossip_averaging.stepsize(c, steps), times)
    excess = float((distances - bound * (1 + 1e-12) - _ROUNDING).max())
    return Verdict(
        subject=topology.name,
        problem=built.name,
        claim="sum ||x_i - xbar||^2 <= lam^(2t) of its start, at every step",
        check="curve under bound",
        kind=CheckKind.BOUND,
        outcome=Outcome.SUPPORTED if excess <= 0 else Outcome.REFUTED,
        statistic=float(distances[-1]),
        bound=float(bound[-1]),
        evidence=f"{steps} steps; largest excess {excess:.2g}; at the end {distances[-1]:.3g} "
        f"under {bound[-1]:.3g}",
        provenance=_SOURCE,
    )


def slowest_eigenvector(topology: Topology, build: Build = GossipAveraging) -> Verdict:
    """From the eigenvector of the second modulus the distance is lam^t of its start, exactly.

    The b_i of f_i(x) = ||x - b_i||^2 / 2 are its real and imaginary part (normal W).
    """
    values, vectors = np.linalg.eig(topology.matrix(0) - 1.0 / topology.n)
    v = vectors[:, int(np.abs(values).argmax())]
    rows = torch.from_numpy(np.stack([v.real, v.imag], axis=1))
    built = Quadratic.from_arrays(torch.ones_like(rows), rows, name="eigenvector")
    distances, times = _distances(build(FixedLinks(topology)), built, 20)
    lam = topology.constants().need("lam")
    return identity(
        topology.name, "from the slowest eigenvector every step contracts by exactly lam",
        distances / distances[0], lam ** (2 * times), check="eigenvector", problem=built.name,
        tolerance=1e-11, provenance=_SOURCE,
    )  # fmt: skip


def faster_by_weights() -> Verdict:
    """Steps to 1e-10 of the start on the 8-node graph: FDLA, FMMC, best constant, 1/max."""
    built = problem("consensus", 8)
    needed = []
    for rule in _BY_SPEED:
        distances, _ = _distances(GossipAveraging(FixedLinks(eight_nodes(rule))), built, 200)
        needed.append(int(np.flatnonzero(distances <= 1e-10 * distances[0])[0]))
    told = ", ".join(f"{rule.name} {k}" for rule, k in zip(_BY_SPEED, needed, strict=True))
    return Verdict(
        subject="fdla",
        problem=built.name,
        claim="the fastest weights need the fewest steps, in the order of lam",
        check="steps to 1e-10",
        outcome=Outcome.SUPPORTED if needed == sorted(needed) else Outcome.REFUTED,
        statistic=float(needed[0]),
        bound=float(needed[1]),
        evidence=f"steps: {told}",
        provenance=_SOURCE,
    )


def _distances(method: Method[Any], built: Problem, steps: int) -> tuple[Floats, Floats]:
    """sum_i ||x_i - xbar||^2 after 0, 1, ..., ``steps`` steps, and those times."""
    trace = run(method, built, steps=steps, seed=0, replicas=1, every=1)
    return built.n * trace.consensus[0], trace.steps.astype(np.float64)


CLOSED_FORMS = (linear_iterations,)

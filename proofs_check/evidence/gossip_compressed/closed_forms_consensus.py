r"""Averaging of quantised values: levels at which it stalls, and means that are kept or walk.

With errors of one law whatever x (an additive probe) everything is linear: Q1, x+ = W Q(x), and Q2,
x+ = x + (W - I) Q(x), stall at levels in closed form; a compensating meeting of a random pair on
the complete graph follows E V+ = (1 - 1/(n - 1)) E V + v exactly. (Carli, Fagnani, Frasca, Zampieri
2010, arXiv:0907.0748; Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, section 3.1.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.nearest_grid import FixedRange
from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue, QuantisedConsensus
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.evidence.gossip_compressed.closed_forms_difference import AdditiveNoise, apart
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.networks.compressed_gossip import (
    relative_growth_of_differences,
    stall_of_differences,
    stall_of_sums,
)
from theory.stepsizes import ConstantStep
from theory.theorems.quantised_consensus import quantised_consensus as theorem

Build = Callable[[Exchange, Compressor], Method[Any]]

_SEED = 71


def others(topology: Topology) -> list[float]:
    """Eigenvalues of W but the largest."""
    return [float(v) for v in np.linalg.eigvalsh(topology.matrix(0))[:-1]]


def sums(exchange: Exchange, compressor: Compressor) -> QuantisedConsensus:
    """Totally quantised consensus, Q1: x becomes W Q(x)."""
    return QuantisedConsensus(exchange, compressor, OwnValue.TOTAL)


_QUANTISED_CONSENSUS_FORMS = ClosedForms("quantised-consensus")


@_QUANTISED_CONSENSUS_FORMS.case("stall level")
def level(build: Build, expected: Callable[[list[float], float], float]) -> Verdict:
    """Disagreement of the ring of 8 after 150 rounds, where every mode but the mean has settled."""
    d, replicas, scale = 8, 300, 0.1
    problem, topology = consensus_problem(8, d, 72), Ring(8)
    method = build(FixedLinks(topology), AdditiveNoise(scale))
    *_, last = path(method, problem, 150, seed=_SEED, replicas=replicas)
    return mean_is(
        f"{method.name} stalls at its level", apart(method.models(last.state)).numpy(),
        expected(others(topology), d * scale**2), on=problem,
        words=f"seed {_SEED}, {replicas} replicas, 150 rounds, errors of variance {scale**2:g}",
    )  # fmt: skip


def level_of_sums(build: Build = sums) -> Verdict:
    """Q1: v sum lambda_k^2/(1 - lambda_k^2)."""
    return level(build, stall_of_sums)


def level_of_differences(build: Build = QuantisedConsensus) -> Verdict:
    """Q2: v sum (1 - lambda_k)/(1 + lambda_k)."""
    return level(build, stall_of_differences)


@_QUANTISED_CONSENSUS_FORMS.case("second moments")
def relative_noise_diverges(build: Build = QuantisedConsensus) -> Verdict:
    """Q2 with unbiased rand-1 of 4 on the ring of 8: second moments grow by an exact factor.

    E V after t rounds from the second-moment recursion against the mean over replicas.
    """
    n, d, rounds, replicas = 8, 4, 2, 20000
    problem, topology, omega = consensus_problem(n, d, 73), Ring(8), 3.0
    w = topology.matrix(0)
    everyone = torch.arange(n)
    b = -problem.full_gradient(torch.zeros((1, d), dtype=torch.float64), everyone).numpy()
    second = b @ b.T
    moved = w - np.eye(n)
    for _ in range(rounds):
        second = w @ second @ w.T + omega * moved @ np.diag(np.diag(second)) @ moved.T
    expected = float(np.trace(second) - second.sum() / n)
    method = build(FixedLinks(topology), RandK(1))
    *_, last = path(method, problem, rounds, seed=_SEED, replicas=replicas)
    growth = relative_growth_of_differences(w, omega)
    return mean_is(
        f"Q2 with rand-1 of 4: second moments as computed; they grow by {growth:.4f} a round",
        apart(method.models(last.state)).numpy(), expected, on=problem,
        words=f"seed {_SEED}, {replicas} replicas, {rounds} rounds on the ring of 8",
    )  # fmt: skip


@_QUANTISED_CONSENSUS_FORMS.case("second moments")
def compensating_law(build: Callable[..., Method[Any]] = QuantisedConsensus) -> Verdict:
    """Mean disagreement after 60 meetings on the complete graph of 6: the theorem with equality."""
    n, d, ticks, replicas, scale = 6, 5, 60, 4000, 0.3
    problem, meetings = consensus_problem(n, d, 74), RandomLinks(RandomEdge(Complete(n)))
    method = build(meetings, AdditiveNoise(scale), row_error=d * scale**2)
    c = method.constants(problem)
    *_, last = path(method, problem, ticks, seed=_SEED, replicas=replicas)
    expected = theorem.bound(c, ConstantStep(1.0), np.array([float(ticks)]))[0]
    return mean_is(
        "compensating meetings on the complete graph: the bound with equality",
        apart(method.models(last.state)).numpy(), float(expected), on=problem,
        words=f"seed {_SEED}, {replicas} replicas, {ticks} meetings, n={n}",
    )  # fmt: skip


@_QUANTISED_CONSENSUS_FORMS.case(
    "mean preservation", f"seed {_SEED}, 2 replicas, 200 meetings on the ring of 9"
)
def mean_is_kept(build: Build = QuantisedConsensus) -> Iterator[Verdict]:
    """Compensating: the mean never moves, with random and with nearest rounding."""
    problem, meetings = consensus_problem(9, 6, 75), RandomLinks(RandomEdge(Ring(9)))
    centre = problem.x_star
    assert centre is not None
    for operator in (FixedPoint(2, 12), FixedRange(8.0, 5)):
        yield same(
            f"the mean over workers never moves, {operator.name}",
            models(build(meetings, operator), problem, 200, seed=_SEED, replicas=2), centre,
            on=problem,
        )  # fmt: skip


@_QUANTISED_CONSENSUS_FORMS.case(
    "agreement", f"seed {_SEED}, 4 replicas, 4000 meetings on the ring of 9"
)
def agreement_of_the_other_rules() -> Verdict:
    """Total rule with nearest rounding: all workers end at one grid point, which the mean is not.

    (Carli, Fagnani, Frasca, Zampieri 2010: exact agreement in finite time.)
    """
    problem, meetings = consensus_problem(9, 6, 76), RandomLinks(RandomEdge(Ring(9)))
    method = QuantisedConsensus(meetings, FixedRange(8.0, 5), OwnValue.TOTAL)
    *_, last = path(method, problem, 4000, seed=_SEED, replicas=4)
    centre = problem.x_star
    assert centre is not None
    off = float((method.models(last.state).mean(-2) - centre).abs().max())
    return same(
        "totally quantised meetings with nearest rounding agree exactly",
        apart(method.models(last.state)), 0.0,
        note=f"the common value is off the mean by up to {off:.3g}", on=problem,
    )  # fmt: skip


def quantised_forms() -> tuple[Verdict, ...]:
    """Levels, laws and means."""
    return (
        level_of_sums(),
        level_of_differences(),
        relative_noise_diverges(),
        compensating_law(),
        *mean_is_kept(),
        agreement_of_the_other_rules(),
    )


CLOSED_FORMS = (quantised_forms,)

COVERS = {"quantised_forms": ("quantised-consensus",)}

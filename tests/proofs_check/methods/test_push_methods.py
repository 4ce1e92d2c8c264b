"""Push-sum, subgradient-push, SGP, overlap SGP and GossipGraD against independent recursions."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import FixedLinks, RandomLinks
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import MixingSequence
from algorithms.topologies.complete import Complete
from algorithms.topologies.dissemination import Dissemination, RotatingHypercube
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.ring import Ring
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from proofs_check.evidence.gossip_directed.closed_forms import DIGRAPH
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.networks.mixing import MixingError
from theory.stepsizes import ConstantStep

GAMMA, STEPS = 0.1, 40
STEP = ConstantStep(GAMMA)
GRAPHS: tuple[MixingSequence, ...] = (
    DIGRAPH,
    uneven_exponential(7),
    TimeVaryingDigraph.ring_by_parts(7, 3),
)


def quadratic(n: int = 7, d: int = 3) -> tuple[Quadratic, Floats, Floats]:
    """f_i(x) = sum_j a_ij (x_j - b_ij)^2 / 2 without noise, and a, b."""
    g = np.random.default_rng(5)
    a, b = g.uniform(0.5, 2.0, size=(n, d)), g.normal(size=(n, d))
    return Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b)), a, b


def models_of(method: Method[Any], problem: Problem, steps: int = STEPS) -> Floats:
    return run(method, problem, steps=steps, points=2).rows[0].numpy()


def sgp_by_hand(graph: MixingSequence, a: Floats, b: Floats, steps: int) -> Floats:
    x, w = np.zeros_like(a), np.ones((len(a), 1))
    for t in range(steps):
        p = graph.matrix(t)
        x, w = p @ (x - GAMMA * a * (x / w - b)), p @ w
    return np.asarray(x / w)


def push_by_hand(graph: MixingSequence, a: Floats, b: Floats, steps: int) -> Floats:
    x, w, z = np.zeros_like(a), np.ones((len(a), 1)), np.zeros_like(a)
    for t in range(steps):
        p = graph.matrix(t)
        mixed, w = p @ x, p @ w
        z = mixed / w
        x = mixed - GAMMA * a * (z - b)
    return z


def overlap_by_hand(graph: MixingSequence, a: Floats, b: Floats, steps: int, tau: int) -> Floats:
    """Every message is an entry in a list of post, with the step at which it is due."""
    n = len(a)
    both = np.column_stack((np.zeros_like(a), np.ones(n)))
    post: list[tuple[int, int, Floats]] = []
    for t in range(steps):
        z = both[:, :-1] / both[:, -1:]
        both[:, :-1] -= GAMMA * a * (z - b)
        if t % tau == 0:
            p = graph.matrix(t // tau)
            sent = [(t + tau, i, p[i, j] * both[j]) for j in range(n) for i in range(n) if i != j]
            both = p.diagonal()[:, None] * both
            for _, i, message in (m for m in post if m[0] == t):
                both[i] += message
            post = sent
    return np.asarray(both[:, :-1] / both[:, -1:])


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda g: g.name)
@pytest.mark.parametrize(
    ("build", "by_hand"), [(SGP, sgp_by_hand), (SubgradientPush, push_by_hand)]
)
def test_gradient_push_is_its_recursion(
    graph: MixingSequence,
    build: Callable[..., Method[Any]],
    by_hand: Callable[..., Floats],
) -> None:
    problem, a, b = quadratic()
    expected = by_hand(graph, a, b, STEPS)
    np.testing.assert_allclose(
        models_of(build(STEP, FixedLinks(graph)), problem), expected, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("tau", [1, 2, 5])
@pytest.mark.parametrize("graph", GRAPHS, ids=lambda g: g.name)
def test_overlap_is_its_recursion(graph: MixingSequence, tau: int) -> None:
    problem, a, b = quadratic()
    expected = overlap_by_hand(graph, a, b, STEPS, tau)
    got = models_of(OverlapSGP(STEP, graph, tau), problem)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("tau", [1, 3])
def test_overlap_keeps_all_mass(tau: int) -> None:
    """Workers and flights together hold weight n and x_0 n less all steps taken."""
    problem, a, b = quadratic()
    moved = np.zeros(3)
    for moment in path(OverlapSGP(STEP, DIGRAPH, tau), problem, STEPS):
        s, w, flight = (part[0].numpy() for part in moment.state)
        assert (w > 0).all()
        np.testing.assert_allclose(w.sum() + flight[:, -1].sum(), 7.0, rtol=1e-13)
        np.testing.assert_allclose(s.sum(0) + flight[:, :-1].sum(0), moved, atol=1e-12)
        moved = moved - GAMMA * (a * (s / w - b)).sum(0)


def test_a_large_delay_is_bounded_not_lost() -> None:
    """Equal f_i: delay costs agreement while moving, not the minimiser."""
    b = torch.full((7, 2), 3.0, dtype=torch.float64)
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    got = models_of(OverlapSGP(STEP, DIGRAPH, 5), problem, 400)
    np.testing.assert_allclose(got, 3.0, rtol=1e-12)


def test_messages_carry_the_weight() -> None:
    problem, _, _ = quadratic(8, 3)
    graph = OnePeerExponential(8)
    for method in (SGP(STEP, FixedLinks(graph)), SubgradientPush(STEP, FixedLinks(graph))):
        trace = run(method, problem, steps=9, points=2)
        assert (trace.account.sent_bits == 9 * 4 * 64).all()
    trace = run(OverlapSGP(STEP, graph, 3), problem, steps=9, points=2)
    assert (trace.account.sent_messages == 3).all()
    trace = run(GossipGraD(STEP, FixedLinks(graph)), problem, steps=9, points=2)
    assert (trace.account.sent_bits == 9 * 3 * 64).all()


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 8, 12, 16])
def test_dissemination_reaches_all(n: int) -> None:
    """Every ceil(log2 n) steps of each rotation; exact averages for powers of two."""
    graphs: list[Dissemination | RotatingHypercube] = [Dissemination(n)]
    if n & (n - 1) == 0:
        graphs.append(RotatingHypercube(n))
    for graph in graphs:
        assert graph.steps == max(1, int(np.ceil(np.log2(n))))
        for start in range(0, graph.period, graph.steps):
            span = [graph.matrix(start + k) for k in range(graph.steps)]
            whole = reduce(lambda before, w: w @ before, span, np.eye(n))
            assert (whole > 0).all()
            if n & (n - 1) == 0:
                assert (whole == 1 / n).all()


def test_rotation_brings_new_partners() -> None:
    for n in (8, 11, 16):
        graph = Dissemination(n, rotations=n)
        met = np.array([graph.matrix(t) > 0 for t in range(graph.period)])
        assert met.any(axis=0).all()
        one = Dissemination(n, rotations=1)
        assert one.period == one.steps == int(np.ceil(np.log2(n)))


@pytest.mark.parametrize("shuffle", [True, False])
def test_gossipgrad_is_its_recursion(shuffle: bool) -> None:
    problem, a, b = quadratic(8)
    graph = Dissemination(8)
    x = np.zeros_like(a)
    for t in range(STEPS):
        shard = (np.arange(8) - t * shuffle) % 8
        x = graph.matrix(t) @ (x - GAMMA * a[shard] * (x - b[shard]))
    got = models_of(GossipGraD(STEP, FixedLinks(graph), shuffle), problem)
    np.testing.assert_allclose(got, x, rtol=0, atol=1e-12)


def test_gossipgrad_refuses_weights_that_shrink_models() -> None:
    with pytest.raises(ValueError, match="sum to 1 by row"):
        GossipGraD(STEP, FixedLinks(DIGRAPH))
    with pytest.raises(ValueError, match="sum to 1 by row"):
        GossipGraD(STEP, RandomLinks(RandomOutNeighbour(Complete(5))))


def test_bad_arguments() -> None:
    problem, _, _ = quadratic()
    with pytest.raises(ValueError, match="tau must be at least 1, got tau=0"):
        OverlapSGP(STEP, DIGRAPH, 0)
    with pytest.raises(ValueError, match=r"exchange .*n=8 nodes"):
        run(SGP(STEP, FixedLinks(OnePeerExponential(8))), problem, steps=1)
    with pytest.raises(ValueError, match="rotations"):
        Dissemination(8, 0)
    with pytest.raises(ValueError, match="power of two"):
        RotatingHypercube(6)
    with pytest.raises(MixingError):
        TimeVaryingDigraph(3, (((0, 1), (1, 0)),))


@pytest.mark.parametrize("topology", [Complete(5), Ring(6)], ids=lambda g: g.name)
def test_random_pushes_have_their_moments(topology: Complete | Ring) -> None:
    """E P and E P^T P of the meetings against 20000 drawn matrices (six standard errors)."""
    meetings, n = RandomOutNeighbour(topology), topology.n
    context = next(
        path(PushSum(RandomLinks(meetings)), consensus(n), 0, seed=3, replicas=20_000)
    ).context
    drawn = meetings.draw(0, context.key, context.replicas)
    p = torch.zeros(20_000, n, n, dtype=torch.float64)
    p.scatter_add_(-1, drawn.sources, drawn.weights)
    assert ((p.sum(-2) - 1).abs() == 0).all()
    for sample, due in ((p, meetings.expected()), (p.mT @ p, meetings.expected_square())):
        error = sample.std(0) / 20_000**0.5
        assert ((sample.mean(0) - torch.from_numpy(due)).abs() <= 6.5 * error + 1e-12).all()


def consensus(n: int) -> Quadratic:
    """Starts 0, ..., n - 1."""
    b = torch.arange(n, dtype=torch.float64)[:, None]
    return Quadratic.from_arrays(torch.ones_like(b), b)

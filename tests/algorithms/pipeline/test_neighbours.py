"""Blocks of steps along a graph, of drawn parts, equal the composed path bit for bit."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.compressors.circle_grid import CircleGrid
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.methods.admm.admm_linearised import LinearisedADMM
from algorithms.methods.cooperative.cooperative import Cooperative, Gossip, MixingOrder
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.methods.exchanges.exchange import FixedLinks, RandomLinks
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.gossip.choco import ChocoGossip, ChocoRound, ChocoSGD
from algorithms.methods.gossip.d_psgd import DPSGD, LossyDPSGD
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.methods.gossip_compressed.moniqua import Moniqua
from algorithms.methods.gossip_compressed.quantised_consensus import QuantisedConsensus
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import GossipDualAveraging
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.methods.parts.gradients import Full, Sampled
from algorithms.methods.parts.sliding_rules import ConvexSliding, StronglyConvexSliding
from algorithms.optimizers.proximal import NoProximal, SoftThreshold
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.sets.ball import Ball
from algorithms.sets.geometry import Euclidean
from algorithms.sets.projection import Projection
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth
from algorithms.topologies.complete import Complete
from algorithms.topologies.dissemination import Dissemination
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.ring import Ring
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads
from theory.stepsizes import ConstantStep

one = st.sampled_from
PERIODS = st.integers(1, 4)
SLIDING = one([ConvexSliding(0.05), StronglyConvexSliding(0.01)])
PROXIMALS = one([NoProximal(), SoftThreshold(0.1), Projection(Ball(0.1))])
CIRCLES = st.builds(CircleGrid, one([0.5, 8.0]), st.integers(1, 9))
OPERATORS = one([Identity(), TopK(0.3), QSGD(4)])


@st.composite
def static(draw, n):
    """A topology whose matrix stays."""
    return draw(one([Ring(n), Complete(n), Lazy(Ring(n))]))


@st.composite
def varying(draw, n):
    """A topology of any period."""
    return draw(one([Ring(n), Complete(n), Dissemination(n)]))


@st.composite
def meetings(draw, n):
    """A law of meetings, or fixed links."""
    return draw(one([FixedLinks(draw(varying(n))), RandomLinks(draw(meetings_alone(n)))]))


@st.composite
def meetings_alone(draw, n):
    """A law of meetings."""
    matched = BandwidthMatching(drawn_bandwidth(n, 0), 3, 0.5)
    return draw(one([RandomEdge(Ring(n)), matched]))


@st.composite
def pushes(draw, n):
    """An exchange whose columns sum to 1."""
    digraph = TimeVaryingDigraph.ring_by_parts(n, min(3, n))
    some = FixedLinks(digraph), RandomLinks(RandomOutNeighbour(Complete(n))), FixedLinks(Ring(n))
    return draw(one(some))


@st.composite
def methods(draw, n):
    """A method along a graph of n workers."""
    step, operator, gradients = draw(drawn.stepsizes), draw(OPERATORS), one([Sampled(), Full()])
    geometry, fixed = one([Euclidean(), Euclidean(Ball(0.05))]), draw(static(n))
    made = (
        lambda: DPSGD(step, draw(varying(n)), draw(gradients)),
        lambda: LossyDPSGD(step, draw(meetings(n)), draw(gradients)),
        lambda: ChocoSGD(step, fixed, operator, 0.3),
        lambda: ChocoGossip(fixed, operator, 0.3),
        lambda: GossipAveraging(draw(meetings(n))),
        lambda: D2(step, fixed, allow_unstable=True),
        lambda: DCDPSGD(step, fixed, operator),
        lambda: ECDPSGD(step, fixed, operator),
        lambda: QuantisedConsensus(draw(meetings(n)), operator),
        lambda: DualAveraging(step, draw(varying(n)), draw(geometry), draw(gradients)),
        lambda: MirrorDescent(step, draw(varying(n)), draw(geometry), draw(gradients)),
        lambda: GossipDualAveraging(step, RandomEdge(Ring(n)), geometry=draw(geometry)),
        lambda: SGP(step, draw(pushes(n))),
        lambda: PushSum(draw(pushes(n))),
        lambda: SubgradientPush(step, draw(pushes(n))),
        lambda: GossipGraD(step, draw(meetings(n)), shuffle=False),
        lambda: GossipLocalSGD(step, PlainRound(draw(varying(n))), draw(PERIODS)),
        lambda: GossipLocalSGD(step, ChocoRound(fixed, operator, 0.3), draw(PERIODS)),
        lambda: Cooperative(step, Gossip(draw(varying(n))), draw(PERIODS), draw(one(MixingOrder))),
        lambda: EASGD(step, 0.1, draw(one([None, 0.3])), draw(PERIODS), draw(one([0.0, 0.5]))),
        lambda: Moniqua(step, draw(varying(n)), draw(CIRCLES)),
        lambda: SAPSPSGD(step, draw(meetings_alone(n)), draw(one([1.0, 2.5]))),
        lambda: MSPD(step, Ring(n), draw(PERIODS)),
        lambda: CommunicationSliding(draw(SLIDING), Ring(n), draw(PERIODS)),
        lambda: LinearisedADMM(step, draw(one([Ring(n), Complete(n)])), draw(PROXIMALS)),
    )
    return draw(one(made))()


problems = st.builds(
    lambda n, samples, d, batch, dtype: synthetic(
        n, samples, d, L2(0.01), batch=batch, dtype=dtype
    ),
    st.integers(2, 6), st.integers(1, 9), st.integers(1, 70), st.integers(1, 19), drawn.DTYPES,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    problems.flatmap(lambda p: st.tuples(st.just(p), methods(p.n))), drawn.options,
    one([None, None, STANDARD]), st.integers(1, 3),
)  # fmt: skip
def test_equal_to_the_composed_path(drawn_pair, options, timing, count):
    problem, method = drawn_pair
    with threads(count):
        assert assert_same(method, problem, timing=timing, **options) > 0


def test_rows_longer_than_a_block_of_columns():
    problem = synthetic(5, 4, 2500, L2(0.01), batch=3, dtype=torch.float32)
    for topology in (Ring(5), Complete(5)):
        assert assert_same(DPSGD(ConstantStep(0.05), topology), problem, steps=4) == 4


def test_a_run_that_diverges_ends_as_it_does_step_by_step():
    problem = synthetic(4, 9, 21, L2(1.0), batch=5, dtype=torch.float32)
    for method in (
        DPSGD(ConstantStep(1e6), Ring(4)),
        ChocoSGD(ConstantStep(1e6), Ring(4), TopK(0.3), 0.3),
        SGP(ConstantStep(1e6), FixedLinks(Ring(4))),
    ):
        assert_same(method, problem, steps=40, points=5, replicas=2)

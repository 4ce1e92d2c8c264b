"""Blocks of ticks of drawn schedules equal the composed path bit for bit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.random_mask import RandomMask
from algorithms.methods.asynchronous.coordinate_prox import CoordinateProx
from algorithms.methods.asynchronous.delayed_proximal import DelayedProximal
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.cooperative.easgd_async import AsyncEASGD
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.gossiping_sgd import Direction, GossipingSGD
from algorithms.methods.parts.age_rules import DelayAdaptive, Polynomial, Younger
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.methods.parts.delay_compensation import DiagonalCompensation, NoCorrection
from algorithms.methods.parts.gradient_buffers import BufferPerWorker, SharedBuffer
from algorithms.methods.parts.gradient_filter import KKTFilter, NoFilter
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.optimizers.proximal import NoProximal, SoftThreshold
from algorithms.synchronisation.barriers import (
    Asynchronous,
    BackupWorkers,
    Bulk,
    Deadline,
    Interrupting,
    PartialBarrier,
    RoundRobin,
)
from algorithms.synchronisation.compute_times import Constant, Exponential, Pareto
from algorithms.synchronisation.conditions import LostWorker
from algorithms.synchronisation.stale import SSP, EagerSSP
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.synchronisation.window import Window
from algorithms.synchronisation.worker_states import WorkerLost
from algorithms.topologies.complete import Complete
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_equal, assert_same, composed, threads
from tests.algorithms.pipeline.both_ways import in_blocks as run_in_blocks

one = st.sampled_from
TIMES = (Exponential(), Constant(), Pareto(), Constant((1.0, 0.4, 2.0, 0.7, 1.1, 0.3)))


def barriers(n: int) -> list[object]:
    """Barriers that fit n workers: with one arrival a tick, with several, with held models."""
    return [
        Asynchronous(), RoundRobin(), RoundRobin(0.5), SSP(0), SSP(2), EagerSSP(1), Bulk(),
        BackupWorkers(min(1, n - 1)), PartialBarrier(min(2, n), 3), Deadline(0.8), Window(0.3),
    ]  # fmt: skip


@st.composite
def servers(draw):
    """A problem, and a parameter server of parts that fit it."""
    problem = draw(drawn.problems)
    operators = st.sampled_from(drawn.operators_for(problem.d, problem.dtype))
    corrections = NoCorrection(), DiagonalCompensation(0.5), DiagonalCompensation(2.0, True)
    return problem, ParameterServer(
        draw(drawn.stepsizes), 14, draw(one(TIMES)), draw(one(barriers(problem.n))),
        draw(one(Weighting)), draw(operators), draw(one(corrections)),
        draw(one([NoProximal(), SoftThreshold(0.02)])), draw(st.integers(0, 3)), 3,
    )  # fmt: skip


def steady(method) -> bool:
    """Whether the operator is the same at all steps, as blocks of ticks want it."""
    return getattr(method, "compressor", Identity()).steady


@settings(max_examples=150, deadline=None)
@given(servers(), drawn.options, st.integers(1, 3))
def test_parameter_server(composition, options, count):
    problem, method = composition
    with threads(count):
        taken = assert_same(method, problem, **options)
    assert taken > 0 or not steady(method)


@st.composite
def peers(draw):
    """A problem, and workers who meet in pairs."""
    problem = draw(drawn.problems.filter(lambda p: p.n > 1))
    n, barrier = problem.n, draw(one(barriers(problem.n)))
    topology = draw(one([Ring(n), Complete(n), Path(n)]))
    given = draw(drawn.stepsizes), 14, draw(one(TIMES)), topology
    if draw(st.booleans()):
        half = n % 2 == 0 and not isinstance(topology, Complete) and draw(st.booleans())
        operators = [RandomMask(0.5), *drawn.operators_for(problem.d, problem.dtype)]
        return problem, ADPSGD(*given, barrier, draw(one(operators)), half, replicas=3)
    way, often = draw(one(Direction)), draw(one([1.0, 0.5]))
    return problem, GossipingSGD(*given, way, often, barrier, replicas=3)


@settings(max_examples=100, deadline=None)
@given(peers(), drawn.options, st.integers(1, 3))
def test_meetings_in_pairs(composition, options, count):
    problem, method = composition
    with threads(count):
        taken = assert_same(method, problem, **options)
    assert taken > 0 or not steady(method)


@st.composite
def clients(draw):
    """A problem, and clients of whom one arrives at a tick."""
    problem = draw(drawn.problems)
    operator = draw(st.sampled_from(drawn.operators_for(problem.d, problem.dtype)))
    given = draw(drawn.stepsizes), 14, draw(one(TIMES))
    kind, barrier = draw(st.integers(0, 2)), draw(one([Asynchronous(), RoundRobin()]))
    if kind == 0:
        return problem, Hogwild(*given, draw(one([0.0, 0.5, 1.0])), operator, replicas=3)
    if kind == 1:
        periods = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.booleans())
        return problem, Downpour(*given, *periods, operator, replicas=3, barrier=barrier)
    alpha, delta = draw(one([0.1, 0.5])), draw(one([0.0, 0.9]))
    period = draw(st.integers(1, 3))
    return problem, AsyncEASGD(*given, alpha, period, delta, replicas=3, barrier=barrier)


@settings(max_examples=150, deadline=None)
@given(clients(), drawn.options, st.integers(1, 3))
def test_clients_one_at_a_time(composition, options, count):
    problem, method = composition
    with threads(count):
        taken = assert_same(method, problem, **options)
    assert taken > 0 or not steady(method)


@settings(max_examples=150, deadline=None)
@given(
    drawn.problems, drawn.options, drawn.stepsizes, one(TIMES),
    one([Younger(), Younger(1), Younger(3), DelayAdaptive(0.7), Polynomial()]),
    one([SharedBuffer(), SharedBuffer(3), BufferPerWorker(1), BufferPerWorker(5)]),
    st.integers(1, 3), one([1.0, 0.7]),
    one([Asynchronous(), RoundRobin(), Bulk(), Interrupting(3)]), st.integers(1, 3),
)  # fmt: skip
def test_buffered_servers(problem, options, step, times, rule, buffer, local, rate, barrier, count):
    method = BufferedServer(step, 14, times, rule, buffer, local, rate, barrier, replicas=3)
    with threads(count):
        taken = assert_same(method, problem, **options)
    assert taken > 0 or isinstance(barrier, Bulk)


@settings(max_examples=100, deadline=None)
@given(
    drawn.small_logistic, drawn.options, st.booleans(), one([0.3, 1.0]), st.booleans(),
    one([NoProximal(), SoftThreshold(0.02)]), one([NoFilter(), KKTFilter(0.02, rho=0.999)]),
    st.integers(0, 2), one([None, STANDARD]), drawn.stepsizes, one(TIMES), st.integers(1, 3),
)  # fmt: skip
def test_proximal_steps(
    problem, options, delayed, q, support, proximal, filtered, tau, timing, step, times, count
):
    if delayed:
        method = DelayedProximal(step, min(3, problem.d), tau, proximal, filtered)
    else:
        method = CoordinateProx(step, 14, times, Selection(q, support), proximal, replicas=3)
    with threads(count):
        assert assert_same(method, problem, timing=timing, **options) > 0


@settings(max_examples=20, deadline=None)
@given(drawn.problems, st.integers(0, 3), st.integers(1, 3))
def test_a_lost_worker_ends_both_ways_alike(problem, after, replicas):
    method = ParameterServer(
        drawn.ConstantStep(0.05), 14, LostWorker(Exponential(), 0, after), Bulk(), replicas=3
    )
    ends = []
    for way in (run_in_blocks, composed):
        try:
            way(method, problem, steps=14, replicas=replicas)
        except WorkerLost as error:
            ends.append(error)
    one, other = ends
    assert str(one) == str(other)
    assert (one.trace is None) == (other.trace is None)
    if one.trace is not None:
        assert_equal(one.trace, other.trace)


def test_messages_that_are_not_finite_are_thrown_away_alike():
    """Far beyond the stable stepsize: what arrives is NaN in the end, and the server goes on."""
    problem = drawn.synthetic(4, 8, 5, drawn.L2(0.1), batch=3, dtype=drawn.torch.float32)
    step = drawn.ConstantStep(1e3)
    assert_same(ParameterServer(step, 80, Exponential()), problem, steps=80, points=2)
    for operator in (Identity(), RandomMask(0.5), QSGD(4)):
        method = ADPSGD(step, 80, Exponential(), Ring(4), compressor=operator)
        assert_same(method, problem, steps=80, points=2)
    assert_same(GossipingSGD(step, 80, Exponential(), Ring(4)), problem, steps=80, points=2)
    assert_same(Downpour(step, 80, Exponential(), 2, 2), problem, steps=80, points=2)
    assert_same(AsyncEASGD(step, 80, Exponential(), 0.1), problem, steps=80, points=2)

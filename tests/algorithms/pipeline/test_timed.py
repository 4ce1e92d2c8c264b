"""Blocks of steps whose course follows a clock of the method's own, or the step's number."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import entry_called
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.core.key import Key
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.local_updates.adacomm import AdaComm
from algorithms.synchronisation.compute_times import (
    Constant,
    Exponential,
    Pareto,
    ShiftedExponential,
)
from algorithms.synchronisation.conditions import Linked, LostWorker, Repeated
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from algorithms.topologies.complete import Complete
from algorithms.topologies.dissemination import Dissemination
from algorithms.topologies.ring import Ring
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads
from tests.algorithms.pipeline.test_neighbours import problems

one = st.sampled_from
TIMES = (
    Constant(0.3), Exponential(0.5), Exponential((0.1, 0.2, 0.3, 0.4, 0.5, 0.6)), Pareto(1.0, 2.5),
    ShiftedExponential(0.5, 0.5), ShiftedExponential(0.1, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    Linked(Exponential(0.5), 0.1, 0.2), Repeated(ShiftedExponential(), 3),
)  # fmt: skip


@st.composite
def methods(draw, n):
    """A method of n workers that keeps a clock of its own."""
    step, times = draw(drawn.stepsizes), draw(one(TIMES))
    operator = draw(one([Identity(), QSGD(4), FixedPoint(4, 12)]))
    topology = draw(one([Ring(n), Complete(n), Dissemination(n)]))
    made = (
        lambda: AdaComm(
            step, draw(st.integers(1, 5)), draw(one([0.7, 3.0])), Timing(times),
            draw(one([None, 0.5])),
        ),
        lambda: QuanTimed(
            step, draw(drawn.stepsizes), topology, operator, times, draw(one([0.4, 2.0])),
            draw(st.integers(1, 4)), STANDARD.link,
        ),
    )  # fmt: skip
    return draw(one(made))()


@settings(max_examples=80, deadline=None)
@given(
    problems.flatmap(lambda p: st.tuples(st.just(p), methods(p.n))), drawn.options,
    one([None, None, STANDARD]), st.integers(1, 3),
)  # fmt: skip
def test_equal_to_the_composed_path(drawn_pair, options, timing, count):
    problem, method = drawn_pair
    with threads(count):
        assert assert_same(method, problem, timing=timing, **options) > 0


@settings(max_examples=20, deadline=None)
@given(problems, drawn.options, drawn.stepsizes, one([None, STANDARD]))
def test_shards_that_pass_round(problem, options, step, timing):
    method = GossipGraD(step, FixedLinks(Dissemination(problem.n)))
    assert assert_same(method, problem, timing=timing, **options) > 0


@settings(max_examples=10, deadline=None)
@given(drawn.options, drawn.stepsizes, drawn.DTYPES)
def test_shards_that_pass_round_are_called_back(options, step, dtype):
    """A problem without a kernel of its own, in blocks where one replica runs."""
    problem = entry_called("pairwise-logistic").build(4).computing_in(dtype)
    method = GossipGraD(step, FixedLinks(Dissemination(problem.n)))
    taken = assert_same(method, problem, **options)
    assert (taken > 0) is (options["replicas"] == 1)


@pytest.mark.parametrize(
    "times", [*TIMES, LostWorker(Exponential(0.5), 1, 4)], ids=lambda t: t.name
)
def test_times_of_steps_are_those_of_each(times):
    draws = Key.seed(3).draws(torch.arange(3), torch.arange(5))
    together = times.seconds_of_steps(draws, "seconds", range(2, 9), 4)
    each = [times.seconds(draws.fold("seconds", t), 4, t) for t in range(2, 9)]
    assert torch.equal(together, torch.stack(each))

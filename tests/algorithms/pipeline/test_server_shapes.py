"""Blocks of server methods with steps of their own equal the composed path bit for bit."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algorithms.compressors.nearest_grid import FixedRange
from algorithms.compressors.top_count import TopCount
from algorithms.compressors.variance_threshold import VarianceThreshold
from algorithms.kernels.row_parts import full_published, published
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.adaptive.adaptive_k import AdaptiveK
from algorithms.methods.adaptive.gtop_k import GTopK
from algorithms.methods.adaptive.variance_based import VarianceBased
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.decomposition.gradiveq import GradiVeQ
from algorithms.methods.decomposition.powersgd import PowerSGD
from algorithms.methods.decomposition.sketched_sgd import SketchedSGD
from algorithms.methods.lazy.cmfl import CMFL
from algorithms.methods.lazy.lag import LAG
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.quantisation.terngrad import TernGradSGD
from algorithms.methods.sparsification.communication_delay import CommunicationDelay
from algorithms.methods.sparsification.two_way_truncation import TwoWayTruncation
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.methods.variance_reduced.laq import LAQ
from algorithms.methods.variance_reduced.refined import RefinedQuantisation
from algorithms.synchronisation.lazy import AllSend, InTurn, NoneSends, ServerRule, WorkerRule
from algorithms.synchronisation.stopwatch import STANDARD
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads
from theory.seconds.costs import ETHERNET_1G


def one(draw, *values):
    """One of some values."""
    return draw(st.sampled_from(values))


def operator(draw, problem):
    """Any operator that is published and asks for no guide."""
    known = drawn.operators_for(problem.d, problem.dtype)
    return one(draw, *(found for found in known if not found.takes_guide))


def needs(operator, problem):
    """Skip where the operator publishes no compiled function."""
    if published(operator, problem.d, problem.dtype) is None:
        pytest.skip(f"{operator.name} publishes no compiled function")


def diana(draw, step, problem):
    """DIANA with any operator, shift step and momentum."""
    alpha, beta = one(draw, 0.0, 0.3, 1.0), one(draw, 0.0, 0.9)
    return Diana(step, operator(draw, problem), alpha, beta)


def lag(draw, step, problem):
    """LAG by any rule and opening."""
    rule = one(draw, WorkerRule(), ServerRule((2.0,)), ServerRule((0.5,) * problem.n), InTurn(3))
    opening = one(draw, AllSend(), AllSend(3), NoneSends(0.1, 2))
    weights = one(draw, (0.1,) * 10, (0.0,), (3.0, 1.0))
    full = full_published(problem) is not None and draw(st.booleans())
    return LAG(step, rule, weights, opening, full)


def laq(draw, step, problem):
    """LAQ with any operator."""
    memory, patience = one(draw, 1, 3, 10), one(draw, 1, 3, 100)
    return LAQ(step, operator(draw, problem), memory, one(draw, 0.0, 0.8), patience)


def variance_based(draw, step, problem):
    """Variance-based compression of some micro-batches."""
    needs(VarianceThreshold(), problem)
    return VarianceBased(step, one(draw, 0.5, 1.0), 0.9, one(draw, 1, 2, 3), draw(st.booleans()))


def gtop_k(draw, step, problem):
    """gTop-k."""
    return GTopK(step, one(draw, 1, 0.3, 1.0))


def adaptive_k(draw, step, problem):
    """Adaptive-k with short and long steps of k."""
    needs(TopCount(1), problem)
    return AdaptiveK(step, ETHERNET_1G, 1e-4, one(draw, 1, 0.5, 1.0), 1, one(draw, 0.2, 1.0))


def delayed(draw, step, problem):
    """Local steps whose sum is compressed."""
    return CommunicationDelay(step, one(draw, 1, 2, 3), operator(draw, problem), ErrorFeedback())


def cocod(draw, step, problem):
    """CoCoD-SGD."""
    return CoCoD(step, one(draw, 1, 2, 5))


def cmfl(draw, step, problem):
    """CMFL with few and many updates that are relevant."""
    return CMFL(step, one(draw, 1, 2, 5), one(draw, 0.0, 0.5, 0.9, 1.0), draw(st.booleans()))


def elastic(draw, step, problem):
    """Elastic averaging with and without momentum."""
    return EASGD(
        step, one(draw, 0.0, 0.1), one(draw, None, 0.5), one(draw, 1, 2, 5), one(draw, 0.0, 0.9)
    )


def sketched(draw, step, problem):
    """Sketched-SGD."""
    return SketchedSGD(step, one(draw, 1, 0.1, 1.0), one(draw, 1, 2, 5), 16, one(draw, 1, 4))


def two_way(draw, step, problem):
    """Two-way truncation with any operators."""
    return TwoWayTruncation(step, operator(draw, problem), operator(draw, problem))


def refined(draw, step, problem):
    """Quantisation refined over iterations, of full and of anchored gradients."""
    assume(full_published(problem))
    needs(FixedRange(1.0), problem)
    return RefinedQuantisation(step, 4, 4.0, 0.9, one(draw, 0, 1, 4))


def terngrad(draw, step, problem):
    """TernGrad with a shared scale."""
    layers, localise = draw(st.booleans()), draw(st.booleans())
    return TernGradSGD(step, layers, one(draw, None, 0.5, 2.5), True, localise)


def power(draw, step, problem):
    """PowerSGD of ranks below and above what pays."""
    rank, flags = one(draw, 1, 2, 6), [draw(st.booleans()) for _ in range(2)]
    return PowerSGD(step, rank, True, *flags)


def on_more_shards(draw, step, problem):
    """Local SGD of workers who hold some of the others' shards too."""
    assume(problem.rolled(1) is not None)
    shards = draw(st.integers(1, min(3, problem.n)))
    return OnMoreShards(LocalSGD(step, one(draw, 1, 3)), shards)


def gradiveq(draw, step, problem):
    """GradiVeQ that learns often."""
    length, learn, flags = one(draw, 1, 3, 8), one(draw, 1, 2), [draw(st.booleans()) for _ in "ab"]
    return GradiVeQ(step, length, one(draw, 1, length), learn, one(draw, 2, 5), *flags)


METHODS = (
    diana, lag, laq, variance_based, gtop_k, adaptive_k, delayed, cocod, cmfl, elastic, sketched,
    two_way, refined, terngrad, power,
    on_more_shards, gradiveq,
)  # fmt: skip


@pytest.mark.parametrize("made", METHODS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_equal_to_the_composed_path(made, data):
    problem, options = data.draw(drawn.problems), data.draw(drawn.options)
    method = made(data.draw, data.draw(drawn.stepsizes), problem)
    timing = data.draw(st.sampled_from([None, None, STANDARD]))
    with threads(data.draw(st.integers(1, 2))):
        taken = assert_same(method, problem, timing=timing, **options)
    assert taken > 0

"""Blocks of server methods with steps of their own equal the composed path bit for bit."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algorithms.compressors.top_count import TopCount
from algorithms.compressors.variance_threshold import VarianceThreshold
from algorithms.kernels.row_parts import published
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.adaptive.adaptive_k import AdaptiveK
from algorithms.methods.adaptive.gtop_k import GTopK
from algorithms.methods.adaptive.variance_based import VarianceBased
from algorithms.methods.lazy.lag import LAG
from algorithms.methods.parts.gradients import Full
from algorithms.methods.sparsification.communication_delay import CommunicationDelay
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.methods.variance_reduced.laq import LAQ
from algorithms.synchronisation.lazy import AllSilent, AllSpeak, InTurn, ServerRule, WorkerRule
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


def diana(draw, step, problem):
    """DIANA with any operator, shift step and momentum."""
    alpha, beta = one(draw, 0.0, 0.3, 1.0), one(draw, 0.0, 0.9)
    return Diana(step, operator(draw, problem), alpha, beta)


def lag(draw, step, problem):
    """LAG by any rule and opening."""
    rule = one(draw, WorkerRule(), ServerRule((2.0,)), ServerRule((0.5,) * problem.n), InTurn(3))
    opening = one(draw, AllSpeak(), AllSpeak(3), AllSilent(0.1, 2))
    weights = one(draw, (0.1,) * 10, (0.0,), (3.0, 1.0))
    full = Full().row_kernel(problem) is not None and draw(st.booleans())
    return LAG(step, rule, weights, opening, full)


def laq(draw, step, problem):
    """LAQ with any operator."""
    memory, patience = one(draw, 1, 3, 10), one(draw, 1, 3, 100)
    return LAQ(step, operator(draw, problem), memory, one(draw, 0.0, 0.8), patience)


def variance_based(draw, step, problem):
    """Variance-based compression of some micro-batches."""
    assume(published(VarianceThreshold(), problem.d, problem.dtype))
    return VarianceBased(step, one(draw, 0.5, 1.0), 0.9, one(draw, 1, 2, 3), draw(st.booleans()))


def gtop_k(draw, step, problem):
    """gTop-k."""
    return GTopK(step, one(draw, 1, 0.3, 1.0))


def adaptive_k(draw, step, problem):
    """Adaptive-k with short and long steps of k."""
    assume(published(TopCount(1), problem.d, problem.dtype))
    return AdaptiveK(step, ETHERNET_1G, 1e-4, one(draw, 1, 0.5, 1.0), 1, one(draw, 0.2, 1.0))


def delayed(draw, step, problem):
    """Local steps whose sum is compressed."""
    return CommunicationDelay(step, one(draw, 1, 2, 3), operator(draw, problem), ErrorFeedback())


METHODS = (diana, lag, laq, variance_based, gtop_k, adaptive_k, delayed)


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

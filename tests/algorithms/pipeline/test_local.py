"""Blocks of local steps, composed of drawn parts, equal the composed path bit for bit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.memories.base import NoMemory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.optimizers.base import SGD
from algorithms.optimizers.outer import BlockMomentum, PlainAverage
from algorithms.synchronisation.periods import Growing, Listed, Once, PostLocal
from algorithms.synchronisation.stopwatch import STANDARD
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads

PERIODS = (1, 2, 5, Once(4), PostLocal(2, 3), Growing(1, 0.5), Listed((2, 1)))
OUTERS = (PlainAverage(), BlockMomentum(0.5, 0.7), BlockMomentum(0.4, 1.2, nesterov=True))


@st.composite
def compositions(draw):
    """A problem, and local SGD of parts that fit it."""
    problem = draw(drawn.problems)
    operators = st.sampled_from(drawn.operators_for(problem.d, problem.dtype))
    one = st.sampled_from
    return problem, LocalSGD(
        draw(drawn.stepsizes), draw(one(PERIODS)), SGD(), AtMeetings.KEPT, draw(operators),
        draw(one((NoMemory(), ErrorFeedback()))), draw(one(OUTERS)),
    )  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(compositions(), drawn.options, st.sampled_from([None, None, STANDARD]), st.integers(1, 3))
def test_equal_to_the_composed_path(composition, options, timing, count):
    problem, method = composition
    with threads(count):
        assert assert_same(method, problem, timing=timing, **options) > 0

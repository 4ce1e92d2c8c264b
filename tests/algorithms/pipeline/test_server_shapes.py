"""Blocks of server methods with steps of their own equal the composed path bit for bit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.methods.variance_reduced.diana import Diana
from algorithms.synchronisation.stopwatch import STANDARD
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads


def diana(draw, step, problem):
    """DIANA with any operator that is published."""
    operators = drawn.operators_for(problem.d, problem.dtype)
    plain = [one for one in operators if not one.takes_guide]
    alpha, beta = draw(st.sampled_from([0.0, 0.3, 1.0])), draw(st.sampled_from([0.0, 0.9]))
    return Diana(step, draw(st.sampled_from(plain)), alpha, beta)


METHODS = (diana,)


@pytest.mark.parametrize("made", METHODS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_equal_to_the_composed_path(made, data):
    problem, options = data.draw(drawn.problems), data.draw(drawn.options)
    method = made(data.draw, data.draw(drawn.stepsizes), problem)
    timing = data.draw(st.sampled_from([None, None, STANDARD]))
    with threads(data.draw(st.integers(1, 2))):
        assert assert_same(method, problem, timing=timing, **options) > 0

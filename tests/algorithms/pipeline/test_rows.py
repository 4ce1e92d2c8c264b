"""Every row of the catalogue on every problem that it lists, in blocks where it has such."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import FORMS, METHODS, problem
from algorithms.synchronisation.stopwatch import STANDARD
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads

ROWS = {row.key: row for row in (*METHODS, *FORMS.values())}


@pytest.mark.parametrize("key", ROWS)
@settings(max_examples=2, deadline=None)
@given(data=st.data())
def test_equal_to_the_composed_path(key, data):
    row = ROWS[key]
    name = data.draw(st.sampled_from([p for p in row.problems if "cnn" not in p]))
    n = data.draw(st.integers(max(4, row.recipe.least_workers), 6))
    asked = data.draw(drawn.options)
    given_problem = drawn.computing_in(problem(name, n), data.draw(drawn.DTYPES))
    method = row.recipe.build(data.draw(drawn.stepsizes), given_problem, asked["steps"])
    timing = data.draw(st.sampled_from([None, STANDARD]))
    with threads(data.draw(st.integers(1, 2))):
        assert_same(method, given_problem, timing=timing, **asked)

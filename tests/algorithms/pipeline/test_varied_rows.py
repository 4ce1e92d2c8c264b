"""Rows whose parts are exchanged for others of their kind, in blocks where they have such.

Nothing is listed: rows are those of the catalogue that publish blocks, parts those that any row is
made of, and the operators of the table.
"""

from __future__ import annotations

import dataclasses
from enum import Enum
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import FORMS, METHODS
from algorithms.compressors.base import Compressor
from algorithms.memories.base import Memory
from algorithms.methods.parts.gradients import Gradients
from algorithms.optimizers.base import Optimizer
from algorithms.optimizers.outer import Outer
from algorithms.optimizers.proximal import Proximal
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.periods import Periods
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.transforms.base import Transform
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads
from theory.stepsizes import ConstantStep

KINDS = Compressor, Memory, Optimizer, Outer, Gradients, Transform, Proximal, Periods
STEPS = 12


def built(row, problem, rule, steps):
    """The row's method; None where it is not for the problem."""
    try:
        method = row.recipe.build(rule, problem, steps)
    except ValueError:
        return None
    return None if method.unfit(problem) else method


def fields(method):
    """Names and values of what a method is made of."""
    return [(f.name, getattr(method, f.name)) for f in dataclasses.fields(method) if f.init]


@cache
def parts(kind):
    """Parts of a kind that rows are made of, for models of two sizes."""
    found = {}
    for d in (7, 40):
        problem = synthetic(6, 5, d, L2(0.01), batch=3, dtype=torch.float32)
        for row in (*METHODS, *FORMS.values()):
            method = built(row, problem, ConstantStep(0.05), STEPS)
            values = fields(method) if dataclasses.is_dataclass(method) else []
            found |= {repr(part): part for _, part in values if isinstance(part, kind)}
    return tuple(found.values())


def other_values(name, value, problem):
    """A strategy for values of the same kind."""
    kind = next((kind for kind in KINDS if isinstance(value, kind)), None)
    if kind is Compressor:
        return st.sampled_from([value, *drawn.operators_for(problem.d, problem.dtype)])
    if kind is not None:
        return st.sampled_from([value, *parts(kind)])
    if isinstance(value, bool):
        return st.booleans()
    if isinstance(value, Enum):
        return st.sampled_from(list(type(value)))
    if isinstance(value, float) and 0 <= value <= 1:
        return st.sampled_from([value, value / 2, 0.3, 1.0])
    if isinstance(value, int) and "seed" not in name:
        return st.sampled_from([value, 1, 2, 3])
    return st.just(value)


def varied(data, method, problem):
    """The method with some of its parts exchanged, where they go together."""
    for name, value in fields(method):
        other = data.draw(other_values(name, value, problem))
        try:
            method = dataclasses.replace(method, **{name: other})
        except ValueError:
            continue
    return method


PUBLISHING = [
    row
    for row in (*METHODS, *FORMS.values())
    if row.recipe is not None
    and "compiled_block" in type(built(
        row, synthetic(6, 9, 20, L2(0.01), batch=3), ConstantStep(0.05), STEPS
    )).__dict__
]  # fmt: skip


def assert_same_however_it_is_made(row, data):
    """A drawn variant of the row on a drawn problem: its block and its own steps end alike."""
    problem = synthetic(
        data.draw(st.integers(max(2, row.recipe.least_workers), 6)), data.draw(st.integers(1, 9)),
        data.draw(st.integers(2, 60)), L2(0.01), batch=data.draw(st.integers(1, 7)),
        dtype=data.draw(drawn.DTYPES),
    )  # fmt: skip
    asked = data.draw(drawn.options)
    method = built(row, problem, data.draw(drawn.stepsizes), asked["steps"])
    if method is None:
        return
    timing = data.draw(st.sampled_from([None, None, STANDARD]))
    with threads(data.draw(st.integers(1, 2))):
        assert_same(varied(data, method, problem), problem, timing=timing, **asked)


@pytest.mark.slow  # almost all of its time goes into compiling what was never composed before
@pytest.mark.parametrize("row", PUBLISHING, ids=lambda row: row.key)
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_equal_to_the_composed_path(row, data):
    assert_same_however_it_is_made(row, data)


@settings(max_examples=10, deadline=None)
@given(row=st.sampled_from(PUBLISHING), data=st.data())
def test_drawn_rows_are_equal_to_the_composed_path(row, data):
    assert_same_however_it_is_made(row, data)

"""Rows of methods along graphs, each on the problems that it lists: both ways agree bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import (
    cooperative,
    gossip,
    gossip_averaging,
    gossip_compressed,
    gossip_convex,
    gossip_directed,
    gossip_local,
    gossip_pairwise,
)
from algorithms.core.key import Key
from algorithms.kernels.row_parts import published
from algorithms.methods.base import RunContext
from algorithms.network.simulated import Simulated
from algorithms.problems.entries import PROBLEMS
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge, RandomMixing
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.ring import Ring
from tests.algorithms.pipeline.both_ways import assert_same
from theory.stepsizes import ConstantStep

_FAMILIES = (
    cooperative, gossip, gossip_averaging, gossip_compressed, gossip_convex, gossip_directed,
    gossip_local, gossip_pairwise,
)  # fmt: skip
_N = 4


def _drawable():
    """Rows and problems whose composition publishes a block."""
    for row in (row for family in _FAMILIES for row in family.ENTRIES):
        for entry in PROBLEMS:
            if entry.name in row.recipe.problems and entry.least_workers <= _N:
                yield row, entry


@pytest.mark.parametrize(("row", "entry"), [
    pytest.param(row, entry, id=f"{row.key}, {entry.name}") for row, entry in _drawable()
])  # fmt: skip
def test_rows_on_their_problems(row, entry):
    problem = entry.build(_N)
    method = row.recipe.build(ConstantStep(0.05), problem, 20)
    context = RunContext(problem, Simulated(_N), Key.seed(0), torch.arange(2))
    method.init(problem.start(), context)
    if published(problem) is None and method.compiled_block(context, 0) is None:
        pytest.skip("steps are taken one by one")
    timing = STANDARD if method.seconds(method.init(problem.start(), context), 0) is None else None
    assert_same(method, problem, steps=9, points=4, replicas=2, timing=timing)


def _law(kind: int, n: int) -> RandomMixing:
    if kind == 0:
        return RandomEdge(Ring(n))
    if kind == 1:
        return RandomOutNeighbour(Complete(n))
    return BandwidthMatching(drawn_bandwidth(n, 0), 3, 0.5)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2), st.integers(2, 9), st.integers(0, 50), st.integers(1, 6),
    st.integers(1, 4), st.integers(0, 9),
)  # fmt: skip
def test_meetings_of_many_steps_are_those_of_each(kind, n, t, count, replicas, seed):
    law, key, ids = _law(kind, n), Key.seed(seed), torch.arange(replicas) + 3
    many = law.over(range(t, t + count), key, ids)
    plain = RandomMixing.over(law, range(t, t + count), key, ids)
    for one, other in zip(many, plain, strict=True):
        np.testing.assert_array_equal(one, other)

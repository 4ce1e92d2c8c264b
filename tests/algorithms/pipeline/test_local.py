"""Blocks of local steps, composed of drawn parts, equal the composed path bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.memories.base import NoMemory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.moving_average_feedback import MovingAverageFeedback
from algorithms.methods.base import RunContext
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.network.simulated import Simulated
from algorithms.optimizers.adaptive_server import AdaptiveServer, SecondMoment, ServerMoments
from algorithms.optimizers.base import SGD
from algorithms.optimizers.outer import BlockMomentum, PlainAverage
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.periods import GrowingPeriod, ListedPeriods, OneShot, PostLocal
from algorithms.synchronisation.stopwatch import STANDARD
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads
from theory.stepsizes import ConstantStep

PERIODS = (1, 2, 5, OneShot(4), PostLocal(2, 3), GrowingPeriod(1, 0.5), ListedPeriods((2, 1)))
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


@pytest.mark.parametrize("kind", list(SecondMoment))
def test_moments_beyond_the_largest_float_are_those_of_the_composed_path(kind):
    server, far = AdaptiveServer(kind, 0.1), 1e30  # its square is infinite in float32
    v = torch.tensor([[1.0, torch.inf, torch.inf, torch.inf, torch.nan, 0.0, 4.0]])
    change = torch.tensor([[far, far, 1.0, torch.inf, 1.0, 0.0, 2.0]])
    x, first = torch.zeros_like(change), torch.zeros_like(change)
    moments, due = server.update(ServerMoments(first, v), x, change)
    part, state, out = server.row_kernel(7, x.dtype), torch.stack((first, v), 1), x.clone()
    arrays = (one.numpy() for one in (state, change, x))
    part.function(part.numbers, *arrays, np.float32(0.1), out.numpy())
    assert torch.equal(state[:, 1].nan_to_num(-1), moments.second.nan_to_num(-1))
    assert torch.equal(out.nan_to_num(-1), due.nan_to_num(-1))


def test_a_memory_that_is_reset_at_meetings_remembers_from_there_alone():
    """With the operator's errors forgotten at every meeting it is no memory, and in no block."""
    problem, step = Quadratic.strongly_convex(3, 8, sigma2=1.0, zeta2=1.0), ConstantStep(0.1)
    operator = TopK(1)
    context = RunContext(problem, Simulated(3), Key.seed(3), torch.arange(2))
    ends = []
    for memory in (MovingAverageFeedback(1.0, reset=1), NoMemory(), ErrorFeedback()):
        method = LocalSGD(step, 2, compressor=operator, memory=memory)
        state = method.init(problem.start(), context)
        for t in range(8):
            state = method.step(state, t, context)
        ends.append(state.x)
        assert (method.compiled_block(context, 0) is None) is not memory.steady
    assert torch.equal(ends[0], ends[1]) and not torch.equal(ends[0], ends[2])

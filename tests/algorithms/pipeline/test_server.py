"""Blocks of a server's steps, composed of drawn parts, equal the composed path bit for bit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.memories.base import NoMemory
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.memories.nesterov_feedback import NesterovFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.base import SGD
from algorithms.optimizers.proximal import NoProximal
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.transforms.base import NoTransform
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads

MEMORIES = (
    NoMemory(), ErrorFeedback(), DecayingFeedback(0.5, 0.9), GlobalMomentum(0.9),
    MomentumCorrection(0.9), MomentumCorrection(0.5, masking=True), NesterovFeedback(0.5),
)  # fmt: skip
TRANSFORMS = (NoTransform(),)
OPTIMIZERS = (SGD(),)
PROXIMALS = (NoProximal(),)


@st.composite
def compositions(draw):
    """A problem, and BSP of parts that fit it."""
    problem = draw(drawn.problems)
    operators = st.sampled_from(drawn.operators_for(problem.d, problem.dtype))
    one = st.sampled_from
    return problem, BSP(
        draw(drawn.stepsizes), draw(operators), draw(one(MEMORIES)), draw(operators),
        draw(one(MEMORIES)), draw(one(TRANSFORMS)), draw(one(OPTIMIZERS)), draw(one(PROXIMALS)),
    )  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(compositions(), drawn.options, st.sampled_from([None, None, STANDARD]), st.integers(1, 3))
def test_equal_to_the_composed_path(composition, options, timing, count):
    problem, method = composition
    with threads(count):
        taken = assert_same(method, problem, timing=timing, **options)
    assert taken > 0 or options["steps"] == 0

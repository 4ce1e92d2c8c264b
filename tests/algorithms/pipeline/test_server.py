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
from algorithms.optimizers.adagrad import Adagrad
from algorithms.optimizers.base import SGD
from algorithms.optimizers.lamb import LAMB, adam
from algorithms.optimizers.lars import LARS
from algorithms.optimizers.layers import FixedTrust, NormRatio
from algorithms.optimizers.momentum import Momentum
from algorithms.optimizers.proximal import NoProximal, SoftThreshold
from algorithms.optimizers.truncation import TruncatedGradient
from algorithms.sets.ball import Ball
from algorithms.sets.base import Unconstrained
from algorithms.sets.box import Box
from algorithms.sets.projection import Projection
from algorithms.sets.simplex import Simplex
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.transforms.base import NoTransform
from algorithms.transforms.clipping import ClipEntries
from algorithms.transforms.norm_clipping import ClipNorm
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same, threads

MEMORIES = (
    NoMemory(), ErrorFeedback(), DecayingFeedback(0.5, 0.9), GlobalMomentum(0.9),
    MomentumCorrection(0.9), MomentumCorrection(0.5, masking=True), NesterovFeedback(0.5),
)  # fmt: skip
TRANSFORMS = (NoTransform(), ClipNorm(0.1), ClipEntries(0.5))


def optimizers_for(d):
    """Optimizers of rows of d numbers, in two layers where there are two."""
    shapes = ((d // 2,), (d - d // 2,)) if d > 1 else ((d,),)
    return (
        SGD(), Momentum(0.9), Momentum(0.5, nesterov=True), Adagrad(),
        LARS(shapes), LARS(shapes, 0.5, 0.1, NormRatio(0.5, 0.1, 2.0)),
        LARS(shapes, 0.5, 0.1, FixedTrust(0.7)), LAMB(shapes, decay=0.1), adam(shapes),
        LAMB(shapes, 0.0, 0.5, trust=NormRatio(0.5, 0.1, 2.0)),
    )  # fmt: skip


PROXIMALS = (
    NoProximal(), SoftThreshold(0.1), TruncatedGradient(0.1, 0.05, 3), Projection(Ball(0.1)),
    Projection(Box(-0.02, 0.05)), Projection(Simplex(0.5)), Projection(Unconstrained()),
)  # fmt: skip


@st.composite
def compositions(draw):
    """A problem, and BSP of parts that fit it."""
    problem = draw(drawn.problems)
    operators = st.sampled_from(drawn.operators_for(problem.d, problem.dtype))
    one = st.sampled_from
    return problem, BSP(
        draw(drawn.stepsizes), draw(operators), draw(one(MEMORIES)), draw(operators),
        draw(one(MEMORIES)), draw(one(TRANSFORMS)), draw(one(optimizers_for(problem.d))),
        draw(one(PROXIMALS)),
    )  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(compositions(), drawn.options, st.sampled_from([None, None, STANDARD]), st.integers(1, 3))
def test_equal_to_the_composed_path(composition, options, timing, count):
    problem, method = composition
    with threads(count):
        taken = assert_same(method, problem, timing=timing, **options)
    assert taken > 0 or options["steps"] == 0

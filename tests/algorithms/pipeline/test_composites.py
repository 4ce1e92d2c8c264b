"""Operators made of other operators, in blocks: any that publish a compiled function."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.compressors.identity import Identity
from algorithms.compressors.k_level import KLevel
from algorithms.compressors.layerwise import Buckets, LayerWise
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.one_bit import OneBit
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.scaled_unbiased import ScaledUnbiased
from algorithms.compressors.strom import Strom
from algorithms.compressors.tensor_buckets import TensorBuckets
from algorithms.compressors.ternary import UnitTernary
from algorithms.compressors.three_lc import ThreeLC
from algorithms.kernels.row_parts import published
from algorithms.memories.base import NoMemory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same
from theory.stepsizes import ConstantStep

SHAPES = ((3, 4), (2,), (9, 1))
INNER = (
    KLevel(2), ScaledSign(), OneBit(), Strom(0.02), ThreeLC(1.0, runs=True), QSGD(3),
    NaturalCompression(), Identity(), UnitTernary(), Buckets(QSGD(2), 3),
    ScaledUnbiased(KLevel(4)),
)  # fmt: skip
OUTER = {
    "buckets": lambda inner: Buckets(inner, 7),
    "layers": lambda inner: LayerWise(inner, SHAPES),
    "one layer": LayerWise,
    "tensors": lambda inner: TensorBuckets(inner, SHAPES, ((2, 0), (1,))),
}


@pytest.mark.parametrize("outer", OUTER.values(), ids=OUTER)
@settings(max_examples=15, deadline=None)
@given(
    inner=st.sampled_from(INNER), down=st.sampled_from(INNER), dtype=drawn.DTYPES,
    memory=st.sampled_from([NoMemory(), ErrorFeedback()]), options=drawn.options,
)  # fmt: skip
def test_parts_of_rows(outer, inner, down, dtype, memory, options):
    problem = synthetic(3, 9, 23, L2(0.01), batch=4, dtype=dtype)
    method = BSP(ConstantStep(0.3), outer(inner), memory, outer(down), memory)
    assert assert_same(method, problem, **options) > 0


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([QSGD(2), Buckets(KLevel(3), 5)]), drawn.DTYPES, drawn.options)
def test_shrunk(inner, dtype, options):
    problem = synthetic(3, 9, 23, L2(0.01), batch=4, dtype=dtype)
    method = BSP(ConstantStep(0.3), ScaledUnbiased(inner), ErrorFeedback())
    assert assert_same(method, problem, **options) > 0


def test_an_inner_operator_without_a_kernel_is_no_part():
    mine = type("MyQSGD", (QSGD,), {})(2)
    for outer in OUTER.values():
        assert published(outer(mine), 23, torch.float32) is None
    assert published(ScaledUnbiased(mine), 23, torch.float32) is None

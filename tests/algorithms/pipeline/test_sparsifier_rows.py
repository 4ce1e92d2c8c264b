"""Sparsifiers as compiled functions over rows equal their own encode and decode to the bit."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.adacomp import AdaComp
from algorithms.compressors.at_most_row import AtMostRow
from algorithms.compressors.blocks import BlockInTurn, BlockSampling
from algorithms.compressors.count_sketch import CountSketch
from algorithms.compressors.dryden import Dryden
from algorithms.compressors.gaussian_k import GaussianK
from algorithms.compressors.layerwise_adaptive_top_k import LayerwiseAdaptiveTopK
from algorithms.compressors.low_rank import LowRank
from algorithms.compressors.nonzero import NonZero
from algorithms.compressors.packet_loss import PacketLoss
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.row_top_k import RowTopK
from algorithms.compressors.sbc import SBC
from algorithms.compressors.slice_projection import SliceProjection
from algorithms.compressors.stc import STC
from algorithms.compressors.top_count import TopCount
from algorithms.compressors.top_k import TopK
from algorithms.compressors.variance_threshold import VarianceThreshold
from algorithms.compressors.wangni import GreedyWangni, Wangni
from algorithms.core.key import Key
from tests.algorithms.pipeline.rows import assert_alike, compiled, composed, tables
from theory.seconds.costs import ETHERNET_1G

PLAIN = (
    RandK(0.3), RandK(1), RandK(0.3, scaled=False), RandK(0.2, send_indices=True), RandK(1.0),
    RandomMask(0.3), RandomMask(0.3, scaled=True), RandomMask(0.4, True, True), RandomMask(1.0),
    NonZero(), AbsoluteThreshold(0.3), AbsoluteThreshold(1.0), AbsoluteThreshold(0.3, sample=0.5),
    AbsoluteThreshold(1.0, sample=1), TopCount(0.3), TopCount(1.0), GaussianK(0.1), GaussianK(1.0),
    STC(0.3), STC(1), STC(1.0), SBC(1), Dryden(0.1), Dryden(0.7), Dryden(1.0), AdaComp(4),
    AdaComp(70), VarianceThreshold(), VarianceThreshold(0.0), VarianceThreshold(3.0), Wangni(0.1),
    Wangni(1.0), Wangni(30.0), GreedyWangni(0.1), GreedyWangni(0.5), GreedyWangni(1.0),
    RowTopK(0.3), RowTopK(1), BlockSampling(1), BlockInTurn(1), PacketLoss(0.0, 3),
    PacketLoss(0.6, 3), PacketLoss(0.6, 3, scaled=True), PacketLoss(0.9), CountSketch(1, 5),
    CountSketch(3, 4), CountSketch(4, 3), CountSketch(5, 1), SliceProjection(5, 2),
    SliceProjection(3, 1), SliceProjection(9, 6), AtMostRow(RandK(0.9, send_indices=True)),
    AtMostRow(TopK(0.1)), LayerwiseAdaptiveTopK(ETHERNET_1G, compute=1e-7, ratio=10.0),
)  # fmt: skip
GUIDED = (AdaComp(4), VarianceThreshold(), VarianceThreshold(0.5), STC(0.3), NonZero())


@settings(max_examples=600, deadline=None)
@given(tables(), st.sampled_from(PLAIN), st.integers(0, 9), st.integers(0, 5))
def test_rows_equal_encode_and_decode(x, operator, seed, first):
    key = Key.seed(seed)
    one, other = (way(operator, x, None, key, first) for way in (compiled, composed))
    if isinstance(operator, RowTopK) and one is None and float(x.abs().max()) > 1e36:
        return  # the sum of norms may be out of range
    assert_alike(one, other)


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from(GUIDED), st.integers(0, 9))
def test_guided_rows_equal_encode_and_decode(x, operator, seed):
    guide = torch.randn(x.shape, generator=torch.Generator().manual_seed(seed)).to(x.dtype)
    guide = guide.abs() if isinstance(operator, VarianceThreshold) else guide
    one, other = (way(operator, x, guide, Key.seed(0), 0) for way in (compiled, composed))
    assert_alike(one, other)


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(-1, 100))
def test_a_guide_says_how_many_are_sent(x, count):
    guide = torch.full_like(x, count)
    one, other = (way(TopCount(1), x, guide, Key.seed(0), 0) for way in (compiled, composed))
    assert_alike(one, other)


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 6), st.integers(0, 12000), st.integers(0, 9), st.booleans())
def test_blocks_equal_encode_and_decode(x, blocks, t, seed, scaled):
    blocks, key = min(blocks, x.shape[-1]), Key.seed(seed)
    lots = BlockSampling(blocks, (blocks + 1) // 2, scaled)
    for turn in (BlockInTurn(blocks), BlockInTurn(blocks, lot=seed)):
        assert_alike(compiled(turn, x, None, key, 0, t), composed(turn.at_step(t), x, None, key, 0))
    assert_alike(compiled(lots, x, None, key, 3), composed(lots, x, None, key, 3))


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 5), st.sampled_from([0.4, 1, 1.0]))
def test_rows_of_a_matrix_equal_encode_and_decode(x, width, k):
    rows = -(-x.shape[-1] // width)
    x = torch.nn.functional.pad(x, (0, rows * width - x.shape[-1])) / 2**10
    operator = RowTopK(k).for_shapes(((rows, width),))
    one, other = (way(operator, x, None, Key.seed(0), 0) for way in (compiled, composed))
    assert_alike(one, other)


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 4))
def test_parts_by_the_time_of_the_link_equal_encode_and_decode(x, parts):
    d = x.shape[-1]
    sizes = [d // parts] * (parts - 1) if d >= parts else []
    shapes = tuple((size,) for size in (*sizes, d - sum(sizes)))
    plain = LayerwiseAdaptiveTopK(ETHERNET_1G, compute=1e-7, ratio=4.0)
    operator = plain.for_shapes(shapes)
    one, other = (way(operator, x, None, Key.seed(0), 0) for way in (compiled, composed))
    assert_alike(one, other)


@pytest.mark.parametrize("operator", [SBC(0.5), STC(0.2)])
def test_rows_of_a_thousand(operator):
    x = torch.randn(3, 1000, generator=torch.Generator().manual_seed(1))
    one, other = (way(operator, x, None, Key.seed(0), 0) for way in (compiled, composed))
    assert_alike(one, other)


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 6), st.integers(0, 9), st.integers(0, 2))
def test_matrices_of_low_rank_equal_encode_and_decode(x, rank, seed, matrices):
    d = x.shape[-1]
    shapes = ((2, d // 4), (d // 4, 1), (d - 3 * (d // 4),))[:: 1 if matrices else -1]
    operator = LowRank(rank).for_shapes(shapes if matrices and d >= 4 else ())
    one, other = (way(operator, x, None, Key.seed(seed), 3) for way in (compiled, composed))
    assert_alike(one, other)


def test_lengths_that_vary_are_the_inner_part_s():
    assert AtMostRow(AbsoluteThreshold(0.5)).row_kernel(8, torch.float32) is None

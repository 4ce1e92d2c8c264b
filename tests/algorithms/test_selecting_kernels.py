"""Kernels that choose, drop out, sketch and turn equal their torch twins over drawn rows."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from algorithms.compressors.adacomp import AdaComp
from algorithms.compressors.base import Compressor
from algorithms.compressors.count_sketch import CountSketch
from algorithms.compressors.dryden import Dryden
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.sbc import SBC
from algorithms.compressors.top_count import TopCount
from algorithms.core.key import Key
from algorithms.kernels import (
    compiled,
    drop_out,
    dropped,
    extremes,
    low_rank,
    row_sums,
    selection,
    ternary_packing,
    top_of_uniforms,
)
from algorithms.kernels.philox import Counters
from tests.algorithms.test_grid_kernels import rows


def _counters(x: Tensor) -> Counters:
    return Counters(11, 2**32 - 1, torch.arange(len(x)), torch.arange(len(x)) + 3)


@given(rows(), st.sampled_from([AdaComp(4), AdaComp(70), Dryden(0.3), SBC(1), TopCount(0.4)]))
@settings(max_examples=150, deadline=None)
def test_operators_by_kernels_are_those_of_the_twins(x: Tensor, operator: Compressor) -> None:
    if isinstance(operator, SBC) and x.shape[-1] < 2:
        return
    _same_without_kernels(operator, x)


@given(
    rows(), st.sampled_from([CountSketch(1, 5), CountSketch(2, 3), CountSketch(3, 4), Rotated()])
)
@settings(max_examples=100, deadline=None)
def test_what_is_drawn_as_it_goes_is_what_the_twins_draw(x: Tensor, operator: Compressor) -> None:
    _same_without_kernels(operator, x * 1e-3)


def _same_without_kernels(operator: Compressor, x: Tensor) -> None:
    """Symbols and decoded rows, bit for bit; zeros of either sign are equal."""
    draws = Key.seed(5).draws(torch.tensor(0), torch.arange(len(x)))
    ours = operator.encode(x, draws)
    decoded = operator.decode(ours, x.shape[-1], x.dtype, draws)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "COMPILED", False)
        twins = operator.encode(x, draws)
        again = operator.decode(twins, x.shape[-1], x.dtype, draws)
    assert all(torch.equal(*pair) for pair in zip(ours, twins, strict=True))
    assert torch.equal(decoded, again)


@given(rows(), st.integers(1, 70))
@settings(max_examples=80, deadline=None)
def test_largest_and_lots_are_the_twins(x: Tensor, k: int) -> None:
    k = min(k, x.shape[-1])
    assert torch.equal(selection.largest_numba(x, k), selection.largest_torch(x, k))
    drawn = top_of_uniforms.lots(_counters(x), x.shape[-1], k)
    assert torch.equal(drawn, top_of_uniforms.lots_torch(_counters(x), x.shape[-1], k))
    for size in (1, 3):
        packets = top_of_uniforms.lots(_counters(x), -(-x.shape[-1] // size), 1)
        kept = top_of_uniforms.lost(x, packets, size)
        assert torch.equal(kept, top_of_uniforms.lost_torch(x, packets, size))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_selection_of_unlike_and_equal_rows_ends(dtype: torch.dtype) -> None:
    """Rows whose levels lie far apart, and rows that are all ties or nearly so."""
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(40, 500, generator=generator, dtype=dtype)
    x *= torch.logspace(-30, 30, 40, dtype=torch.float64)[torch.randperm(40), None].to(dtype)
    x[::5] = 1.0
    x[1::5, 17] = torch.inf
    x[2::5, 3] = torch.nan
    x[3::5, 10:] = 0
    for k in (1, 7, 250, 499, 500):
        assert torch.equal(selection.largest_numba(x, k), selection.largest_torch(x, k)), k


@given(rows(), st.sampled_from([0.1, 1.0, 7.5]))
@settings(max_examples=80, deadline=None)
def test_levels_of_drop_out_are_the_twins_to_rounding(x: Tensor, asked: float) -> None:
    power = torch.frexp(extremes.tops(x)[:, 0]).exponent.clamp(-1000, 1000).double()
    scales = torch.ldexp(torch.ones_like(power), -power)
    ours = drop_out.of_variance(x, scales, asked)
    assert torch.allclose(ours, drop_out.of_variance_torch(x, scales, asked), rtol=1e-12, atol=0)
    wanted = min(asked, x.shape[-1] / 2)
    ours = drop_out.of_density(x, scales, wanted)
    twins = drop_out.of_density_torch(x, scales, wanted)
    size = x.abs().double() * scales[:, None]
    share, other = ((size / v[:, None]).clamp_max(1).nan_to_num(0) for v in (ours, twins))
    assert torch.allclose(share, other, rtol=1e-9, atol=1e-12)


@given(rows(), st.floats(0.1, 3))
@settings(max_examples=80, deadline=None)
def test_what_is_dropped_is_the_twins(x: Tensor, share: float) -> None:
    level = (extremes.tops(x) * share).contiguous()
    ours, twins = (act(x, level, _counters(x)) for act in (dropped.dropped, dropped.dropped_torch))
    for one, other in zip(ours, twins, strict=True):
        assert all(torch.equal(*pair) for pair in zip(one, other, strict=True))
    centre, wide = x[:, :1].contiguous(), level.double()
    taken = dropped.taken(x, centre, wide, _counters(x))
    assert torch.equal(taken, dropped.taken_torch(x, centre, wide, _counters(x)))
    count, places, values = ours[0]
    own = count[:, None], values.clone(), centre, wide
    for p in (0.0, 0.3):
        expected = dropped.recentred_torch(own[0], values, centre, wide, p)
        assert torch.equal(dropped.recentred(own[0], values.clone(), centre, wide, p), expected)
    around = dropped.around(own[0], places, values, centre, x.shape[-1])
    expected = dropped.around_torch(own[0], places, values, centre, x.shape[-1])
    assert torch.equal(around, expected)


@given(rows(), st.floats(0, 2))
@settings(max_examples=60, deadline=None)
def test_sums_in_turn_and_fives_are_the_twins(x: Tensor, edge: float) -> None:
    assert torch.equal(row_sums.side_means(x), row_sums.side_means_torch(x))
    assert torch.equal(row_sums.totals(x), row_sums.totals_torch(x))
    half = torch.full((len(x), 1), edge, dtype=x.dtype)
    packed = ternary_packing.packed(x, half)
    assert torch.equal(packed, ternary_packing.packed_torch(x, half))
    d = x.shape[-1]
    assert torch.equal(
        ternary_packing.spread(packed, half, d), ternary_packing.spread_torch(packed, half, d)
    )


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 6), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_products_of_few_columns_are_the_twins(a: int, b: int, r: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    m, q = (torch.randn(3, *s, generator=generator) for s in ((a, b), (b, r)))
    assert torch.equal(low_rank.times(m, q), low_rank.times_torch(m, q))
    p = torch.randn(3, a, r, generator=generator)
    ours = low_rank.transposed_times(m, p)
    assert torch.equal(ours, low_rank.times_torch(m.transpose(-1, -2), p))

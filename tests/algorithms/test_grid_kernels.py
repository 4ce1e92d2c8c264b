"""Kernels of grids and of rows' ends equal their torch twins, over drawn shapes and rows."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from algorithms.kernels import dithering, extremes, grids, ternaries
from algorithms.kernels.philox import Counters

DTYPES = (torch.float32, torch.float64)


@st.composite
def rows(draw: st.DrawFn) -> Tensor:
    """Rows ``[P, d]`` with ties, zeros, subnormal and huge entries among them."""
    p, d = draw(st.integers(1, 4)), draw(st.integers(1, 70))
    dtype = draw(st.sampled_from(DTYPES))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 999)))
    x = torch.randn(p, d, generator=generator, dtype=torch.float64)
    power = draw(st.sampled_from([0.0, 1e-300, 1e-40, 1e-5, 1.0, 1e4, 1e36]))
    x = (x * power).to(dtype)
    return x.round() if draw(st.booleans()) else x


def _numbers(x: Tensor, drawn: bool) -> Tensor | Counters:
    """Uniforms of rows, or the counters of theirs."""
    if drawn:
        return Counters(3, 2**31 + 5, torch.arange(len(x)), torch.arange(len(x)) * 7)
    return torch.rand(x.shape, generator=torch.Generator().manual_seed(1), dtype=x.dtype)


@given(rows(), st.integers(1, 40), st.booleans())
@settings(max_examples=80, deadline=None)
def test_levels_between_the_ends_of_a_row_are_the_twins(x: Tensor, last: int, drawn: bool) -> None:
    low, high = extremes.ends(x)
    width, u = last.bit_length(), _numbers(x, drawn)
    for top in (high, high.clamp_min(0) * 2):
        codes = grids.between(x, low, top, last, u, width)
        assert torch.equal(codes, grids.between_torch(x, low, top, last, u, width))


@given(rows(), st.integers(1, 16), st.booleans())
@settings(max_examples=80, deadline=None)
def test_other_grids_are_the_twins(x: Tensor, width: int, drawn: bool) -> None:
    scale, u = extremes.tops(x), _numbers(x, drawn)
    last = (1 << min(width, 8)) - 1
    half = 1 << (width - 1)
    assert torch.equal(grids.odd(x, scale, last, u), grids.odd_torch(x, scale, last, u))
    assert torch.equal(grids.nearest(x, scale, width), grids.nearest_torch(x, scale, width))
    within = grids.within(x, 0.7, half - 1, width)
    assert torch.equal(within, grids.within_torch(x, 0.7, half - 1, width))
    fixed = grids.fixed(x, 0.25, half, u, width)
    assert torch.equal(fixed, grids.fixed_torch(x, 0.25, half, u, width))
    for guide in (scale, x.abs().flip(-1) * 2):
        assert torch.equal(ternaries.ternary(x, guide, u), ternaries.ternary_torch(x, guide, u))
    dithered = dithering.dithered(x, scale, width, u)
    assert torch.equal(dithered, dithering.dithered_torch(x, scale, width, u))


@given(rows(), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_tables_are_looked_up_as_the_twin_does(x: Tensor, size: int) -> None:
    codes = torch.randint(size, x.shape, generator=torch.Generator().manual_seed(2))
    for table in (torch.rand(len(x), size), torch.rand(size)):
        found = grids.from_codebook(codes.to(torch.uint8), table)
        assert torch.equal(found, grids.from_codebook_torch(codes, table))


@given(rows())
@settings(max_examples=60, deadline=None)
def test_ends_of_rows_are_the_twins(x: Tensor) -> None:
    assert torch.equal(extremes.tops(x), extremes.tops_torch(x))
    ours, twins = extremes.ends(x), extremes.ends_torch(x)
    assert torch.equal(ours[0], twins[0]) and torch.equal(ours[1], twins[1])
    assert extremes.all_finite(x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bad", [torch.nan, -torch.nan, torch.inf, -torch.inf])
def test_what_is_not_finite_is_seen(dtype: torch.dtype, bad: float) -> None:
    x = torch.ones(3, 50, dtype=dtype)
    x[1, 17] = bad
    assert not extremes.all_finite(x) and not extremes.all_finite(x.t())
    top = extremes.tops(x)
    assert not torch.isfinite(top[1]) and torch.isfinite(top[::2]).all()
    low, high = extremes.ends(x)
    assert not torch.isfinite(torch.cat((low, high), -1)).all(-1)[1]

"""Kernels of masks, lists and thresholds equal their torch twins, over drawn shapes and rows."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from algorithms.compressors.gaussian_k import GaussianK
from algorithms.core.row_slices import SLICE
from algorithms.kernels import (
    compiled,
    entries,
    gaussian,
    mask_to_indices,
    variance_threshold_kernel,
)
from algorithms.kernels.counting import counts
from algorithms.kernels.philox import Counters, uniform_torch
from tests.algorithms.test_grid_kernels import rows


@given(rows(), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
@settings(max_examples=80, deadline=None)
def test_lists_of_masks_are_the_twins(x: Tensor, share: float) -> None:
    mask = torch.rand(x.shape, generator=torch.Generator().manual_seed(4)) < share
    ours, twins = mask_to_indices.listed(mask, x), mask_to_indices.listed_torch(mask, x)
    assert all(torch.equal(one, other) for one, other in zip(ours, twins, strict=True))
    places = entries.places(mask)
    assert all(torch.equal(*p) for p in zip(places, entries.places_torch(mask), strict=True))
    assert torch.equal(counts(mask), mask.sum(-1))
    assert torch.equal(mask_to_indices.drop_zeros(mask.clone(), x), mask & (x != 0))
    assert torch.equal(mask_to_indices.nonzero(x), x != 0)
    assert torch.equal(mask_to_indices.negative(x), (x < 0).to(torch.uint8))


def test_long_rows_are_listed_part_by_part() -> None:
    x = torch.randn(3, 10_001, generator=torch.Generator().manual_seed(6))
    for edge in (-torch.inf, 0.3, 2.0, torch.inf):
        mask = x > edge
        ours, twins = mask_to_indices.listed(mask, x), mask_to_indices.listed_torch(mask, x)
        assert all(torch.equal(one, other) for one, other in zip(ours, twins, strict=True))


def test_bytes_are_marks_too() -> None:
    marks = (torch.arange(3000) % 17).to(torch.uint8).repeat(2, 1)
    count, places, values = mask_to_indices.listed(marks, marks)
    assert torch.equal(count, (marks > 0).sum(-1))
    assert torch.equal(values, marks.gather(-1, places.long()))


@given(rows(), st.floats(0, 3), st.integers(0, 70))
@settings(max_examples=60, deadline=None)
def test_masks_of_thresholds_are_the_twins(x: Tensor, edge: float, last: int) -> None:
    size = x.abs()
    above = mask_to_indices.above(x, torch.tensor(edge, dtype=torch.float64))
    assert torch.equal(above, size.double() > edge)
    least, end = size[:, -1:].contiguous(), torch.full((len(x), 1), last)
    assert torch.equal(
        mask_to_indices.down_to(x, least, end), mask_to_indices.down_to_torch(x, least, end)
    )


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_drawn_masks_are_the_twins(d: int, word: int, p: float) -> None:
    counters = Counters(word, 7, torch.arange(3), torch.arange(3) + 5)
    assert torch.equal(
        mask_to_indices.drawn(counters, p, d), mask_to_indices.drawn_torch(counters, p, d)
    )
    edge = float(uniform_torch(*counters, d, torch.float64)[1, d // 2])  # the number itself
    assert torch.equal(
        mask_to_indices.drawn(counters, edge, d), mask_to_indices.drawn_torch(counters, edge, d)
    )


@given(rows(), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
@settings(max_examples=80, deadline=None)
def test_what_stands_out_is_the_twins(x: Tensor, alpha: float, shared: bool) -> None:
    noise = (x.flip(-1) ** 2).contiguous()
    noise = noise[:, :1] if shared else noise
    ours, twins = (
        variance_threshold_kernel.codes(x, noise, alpha),
        variance_threshold_kernel.codes_torch(x, noise, alpha),
    )
    assert torch.equal(ours[0], twins[0]) and torch.equal(ours[1], twins[1])


@given(rows())
@settings(max_examples=60, deadline=None)
def test_gaussian_thresholds_are_the_twins(x: Tensor) -> None:
    d = x.shape[-1]
    operator = GaussianK(max(1, d // 5))
    ours = operator.mask(x, None)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "COMPILED", False)
        assert torch.equal(ours, operator.mask(x, None))  # type: ignore[arg-type]
    assert d <= SLICE and gaussian.moments(x)[0].shape == (len(x), 1)

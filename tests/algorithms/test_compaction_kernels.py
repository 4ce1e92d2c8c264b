"""Lists, sums in lanes, distances and blocks equal their twins, over drawn rows."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.kernels import (
    compaction,
    distances,
    drop_out,
    row_norms,
    simd_sums,
    top_of_uniforms,
)
from algorithms.kernels.entries import places, places_torch, spread_onto, spread_torch
from algorithms.kernels.mask_to_indices import listed, listed_torch
from algorithms.kernels.philox import Counters

TYPES = (np.float32, np.float64, np.int32, np.int64, np.uint8)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=70), st.sampled_from(TYPES))
@settings(max_examples=100, deadline=None)
def test_compaction_is_indexing_by_a_mask(marks: list[int], kind: type) -> None:
    mask, row = np.array(marks, dtype=np.uint8), np.arange(len(marks)).astype(kind)
    found = np.full(len(marks) + 1, 77, kind)
    count = compaction.compact(mask, row, found)
    assert count == np.count_nonzero(mask)
    assert (found[:count] == row[mask != 0]).all()


@pytest.mark.parametrize("d", [1, 16, 4095, 4096, 4097, 9000])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_lists_of_long_rows_are_the_twins(d: int, share: float) -> None:
    x = torch.randn(3, d, generator=torch.Generator().manual_seed(d))
    mask = torch.rand(3, d, generator=torch.Generator().manual_seed(1)) < share
    assert all(torch.equal(a, b) for a, b in zip(places(mask), places_torch(mask), strict=True))
    ours = listed(mask, x)
    assert all(torch.equal(a, b) for a, b in zip(ours, listed_torch(mask, x), strict=True))
    here = spread_onto(*ours, torch.zeros_like(x))
    assert torch.equal(here, spread_torch(*ours, torch.zeros_like(x)))


def test_places_beyond_a_row_are_refused() -> None:
    count, where = torch.tensor([1, 2]), torch.tensor([[0, 0], [1, 5]], dtype=torch.int32)
    with pytest.raises(ValueError, match=r"places must lie in \[0, d\), got 5 with d=5"):
        spread_onto(count, where, torch.ones(2, 2), torch.zeros(2, 5))


@given(st.lists(st.lists(st.integers(0, 40), max_size=9, unique=True), min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_distances_are_the_twins_and_lead_back(lists: list[list[int]]) -> None:
    cap = max(1, *(len(row) for row in lists))
    count = torch.tensor([[len(row)] for row in lists])
    where = torch.tensor([sorted(row) + [0] * (cap - len(row)) for row in lists])
    between = distances.between(count, where)
    assert torch.equal(between, distances.between_torch(count, where))
    assert torch.equal(distances.summed(count, between), where)
    assert torch.equal(distances.summed_torch(count, between), where)


@pytest.mark.slow
@given(
    st.lists(st.floats(-1e9, 1e9, width=32), min_size=1, max_size=40),
    st.sampled_from([np.float32, np.float64]),
    st.floats(0.5, 1e9),
)
@settings(max_examples=100, deadline=None)
def test_sums_are_those_of_lanes(numbers: list[float], kind: type, edge: float) -> None:
    row = np.array(numbers, dtype=kind)
    wide = row.astype(np.float64)
    assert row_norms.sum_of_magnitudes(row) == _in_lanes(np.abs(wide))
    sides = _in_lanes(np.maximum(wide, 0)) - _in_lanes(-np.minimum(wide, 0))
    assert row_norms.signed_sum(row) == sides
    _has_its_twins_norm(row)
    held, less = np.where(wide <= edge, wide, 0), np.where(wide < edge, wide, 0)
    room = np.empty((2, simd_sums.LANES))
    up_to = drop_out._up_to(wide, edge, room)
    assert up_to == (_in_lanes(held), _in_lanes(held * held))
    assert drop_out._below(wide, edge, room) == (_in_lanes(less), np.sum(wide < edge))


@pytest.mark.parametrize("d", [63, 64, 65, 255, 256, 257, 319, 1000, 5001])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_long_rows_are_summed_in_the_same_order(d: int, kind: type) -> None:
    row = np.random.default_rng(d).standard_normal(d).astype(kind)
    wide, room = row.astype(np.float64), np.empty((2, simd_sums.LANES))
    assert row_norms.sum_of_magnitudes(row) == _in_lanes(np.abs(wide))
    found, wanted = row_norms.signed_sum(row), _in_lanes(np.maximum(wide, 0))
    assert found == wanted - _in_lanes(-np.minimum(wide, 0))
    held = np.where(wide <= 0.5, wide, 0)
    up_to = drop_out._up_to(row, 0.5, room)
    assert up_to == (_in_lanes(held), _in_lanes(held * held))
    _has_its_twins_norm(row)


def _has_its_twins_norm(row: np.ndarray) -> None:
    exact = np.empty(1)
    row_norms.norms_into(row[None], exact)
    assert exact[0] == row_norms.norms_torch(torch.from_numpy(row)[None]).item()


def _in_lanes(terms: np.ndarray) -> float:
    """Their sum: lane j mod 8 from left to right, and the lanes in pairs."""
    held = np.zeros(8)
    for j, term in enumerate(terms):
        held[j % 8] += term
    left = (held[0] + held[4]) + (held[2] + held[6])
    return float(left + ((held[1] + held[5]) + (held[3] + held[7])))


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 4), st.sampled_from([1.0, 2.5]))
@settings(max_examples=60, deadline=None)
def test_blocks_are_the_twins(d: int, blocks: int, k: int, factor: float) -> None:
    size, k = -(-d // blocks), min(k, blocks)
    generator = torch.Generator().manual_seed(d)
    x = torch.randn(3, d, generator=generator)
    where = torch.rand(3, blocks, generator=generator).argsort(-1)[:, :k].sort(-1).values
    sent = top_of_uniforms.picked(x, where, size, factor)
    assert torch.equal(sent, top_of_uniforms.picked_torch(x, where, size, factor))
    back = top_of_uniforms.put_back(sent, where, size, d)
    assert torch.equal(back, top_of_uniforms.put_back_torch(sent, where, size, d))


def test_lots_whose_heads_are_equal_are_drawn_by_all_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    counters = Counters(3, 4, torch.arange(4), torch.arange(4) + 1)

    def equal(*arguments: np.ndarray) -> None:
        arguments[-1][:] = 5

    monkeypatch.setattr(top_of_uniforms, "_heads", equal)
    for name in ("_lots", "lots_row"):  # compiled, they would call the heads that they know
        kernel = getattr(top_of_uniforms, name)
        monkeypatch.setattr(top_of_uniforms, name, getattr(kernel, "py_func", kernel))
    assert torch.equal(
        top_of_uniforms.lots(counters, 30, 7), top_of_uniforms.lots_torch(counters, 30, 7)
    )

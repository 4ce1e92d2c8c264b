"""Lengths of entropy codes are those of what is written; ranks are those of a stable sort."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.kernels.compiled import magnitude_mask
from algorithms.kernels.entropy import ends, histogram, write
from algorithms.kernels.fair_steps import by_size

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 5), st.integers(1, 300), st.integers(2, 70), seeds, st.booleans())
def test_lengths_are_those_of_the_code(rows, d, k, seed, arithmetic):
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(k, 0.2), rows)
    symbols = torch.from_numpy(np.stack([rng.choice(k, d, p=p) for p in law]))
    counts, start = histogram(symbols, k), torch.from_numpy(rng.integers(0, 50, rows))
    room = torch.zeros((rows, 4 * d + 64), dtype=torch.uint8)
    written = write(symbols, counts, room, start, arithmetic)
    assert torch.equal(ends(symbols, counts, start, arithmetic), written)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@settings(max_examples=40, deadline=None)
@given(st.integers(1, 600), st.integers(1, 40), seeds)
def test_places_by_size_are_those_of_a_stable_sort(kind, d, levels, seed):
    rng = np.random.default_rng(seed)
    row = (rng.integers(-levels, levels + 1, d) * rng.choice([1e-30, 1.0, 1e30], d)).astype(kind)
    found = by_size(row, magnitude_mask(row), np.empty((4, d), np.int64))
    order = torch.from_numpy(np.abs(row)).argsort(descending=True, stable=True)
    assert found.tolist() == [j for j in order.tolist() if row[j] != 0]

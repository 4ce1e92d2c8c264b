"""Parts that one call treats are compressed as each by itself."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import OPERATORS
from algorithms.compressors.layerwise import Buckets, LayerWise
from algorithms.compressors.parted import Parted
from algorithms.compressors.runs import runs_of
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.core.row_slices import SLICE
from algorithms.kernels.row_norms import norms_of_parts, norms_of_parts_torch

INNER = {name: one for name, one in OPERATORS.items() if not isinstance(one, Parted)}


def claimed(operator, *sizes):
    """Whether the operator takes rows of these lengths."""
    try:
        return all(operator.claims(size) is not None for size in sizes)
    except ValueError:
        return False


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from(sorted(INNER)), st.integers(0, 2**31))
def test_buckets_are_compressed_as_each_by_itself(data, name, seed):
    inner, size = INNER[name], data.draw(st.sampled_from((1, 4, 20)))
    d = size * data.draw(st.integers(1, 5)) + data.draw(st.integers(0, size - 1))
    if not claimed(inner, size, d % size or size):
        return
    dtype = data.draw(st.sampled_from((torch.float32, torch.float64)))
    lots = torch.Generator().manual_seed(seed)
    x = torch.randn((2, 3, d), generator=lots, dtype=dtype)
    x[torch.rand(x.shape, generator=lots) < data.draw(st.sampled_from((0.0, 0.6)))] = 0
    x[0, 0] = 0
    buckets = Buckets(inner, size)
    draws = Key.seed(seed).draws(torch.arange(2), torch.tensor([5, 0, 2]))
    parts, symbols = [], []
    for b, part in enumerate(torch.split(x, size, -1)):
        own = inner.encode(part.contiguous(), draws.fold("block", b))
        symbols += own
        parts.append(inner.decode(own, part.shape[-1], dtype, draws.fold("block", b)))
    sent = buckets.encode(x, draws)
    assert len(sent) == len(symbols) == len(buckets.layout(d, dtype))
    assert all(torch.equal(one, other) for one, other in zip(sent, symbols, strict=True))
    assert torch.equal(buckets.decode(sent, d, dtype, draws), torch.cat(parts, -1))
    assert torch.equal(buckets.compress(x, draws), torch.cat(parts, -1))


def test_only_parts_of_one_operator_and_length_run_together_and_few_of_long_ones():
    one, other = TopK(1), TopK(2)
    pairs = ((one, 4), (one, 4), (other, 4), (one, 4), (one, 5), (one, 5))
    runs = runs_of(pairs, torch.float32)
    assert [run.parts for run in runs] == [2, 1, 1, 2]
    assert [run.start for run in runs] == [0, 8, 12, 16]
    assert [run.first for run in runs] == [0, 2, 3, 4]
    long = runs_of(((one, SLICE // 2),) * 5, torch.float32)
    assert [run.parts for run in long] == [2, 2, 1]


def test_an_operator_that_does_not_change_stays_the_same_object():
    layers = LayerWise(TopK(1), ((3, 2), (2,)))
    assert layers.at_step(7) is layers


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
@pytest.mark.parametrize("scale", (1.0, 1e-30, 1e30))
def test_norms_of_parts_are_those_of_each(dtype, scale):
    lots = torch.Generator().manual_seed(3)
    x = torch.randn((2, 3, 30), generator=lots, dtype=dtype) * scale
    x[0, 0, :7] = 0
    sizes = (7, 1, 12, 10)
    assert torch.equal(norms_of_parts(x, sizes), norms_of_parts_torch(x, sizes))
    wide = torch.stack([part.double().norm(dim=-1) for part in x.split(sizes, -1)], -1)
    torch.testing.assert_close(norms_of_parts(x, sizes).double(), wide, rtol=1e-6, atol=0)

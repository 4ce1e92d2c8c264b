"""Second moments of slices: kernel, twin and einsum."""

from __future__ import annotations

import pytest
import torch

from algorithms.kernels import slice_steps


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(1, 1), (1, 5, 3), (2, 3, 7, 8)])
def test_products_equal_their_twin_and_einsum(shape, dtype, monkeypatch):
    cut = torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=dtype)
    found = slice_steps.products(cut)
    monkeypatch.setattr(slice_steps, "by_torch", lambda _: True)
    assert torch.equal(found, slice_steps.products(cut))
    stated = torch.einsum("...sa,...sb->...ab", cut.double(), cut.double())
    torch.testing.assert_close(found.double(), stated, rtol=1e-5, atol=1e-5)

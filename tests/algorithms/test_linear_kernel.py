"""The minibatch-gradient kernel: its twin, autograd, and bits that do not depend on neighbours."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.key import Key
from algorithms.kernels.linear import logistic_gradient, logistic_numba, logistic_torch


def data(n, samples, d, batch, dtype, replicas=3):
    key, one = Key.seed(d), torch.arange(replicas)
    workers = torch.arange(n)
    rows = key.fold("rows").draws(torch.tensor(0), workers).normal(samples * d, dtype)
    x = key.fold("x").draws(one, workers).normal(d, dtype)
    index = key.fold("index").draws(one, workers).integers(samples, batch)
    return rows.view(n, samples, d), x, index, workers.expand(replicas, n)


@given(
    n=st.integers(1, 5), samples=st.integers(1, 9), d=st.integers(1, 70), batch=st.integers(1, 19)
)
def test_kernel_and_twin_agree(n, samples, d, batch):
    rows, x, index, workers = data(n, samples, d, batch, torch.float64)
    arguments = (
        rows,
        x.reshape(-1, d),
        0.3 * x.reshape(-1, d),
        1,
        workers.reshape(-1),
        index.reshape(-1, batch),
    )
    one, other = logistic_numba(*arguments), logistic_torch(*arguments)
    assert torch.allclose(one, other, rtol=1e-12, atol=1e-12)


def test_it_is_the_derivative_of_the_minibatch_loss():
    rows, x, index, workers = data(3, 11, 30, 8, torch.float64)
    point = x.clone().requires_grad_()
    batch = rows[workers[..., None], index]
    loss = torch.nn.functional.softplus(-(batch * point[..., None, :]).sum(-1)).mean(-1)
    (expected,) = torch.autograd.grad(loss.sum(), point)
    got = logistic_gradient(rows, x, torch.zeros_like(x), workers, index)
    assert torch.allclose(got, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("d", [1, 30, 64, 1000, 1001])
def test_bits_do_not_depend_on_how_many_rows_are_computed(d, dtype):
    rows, x, index, workers = data(7, 16, d, 12, dtype)
    everyone = logistic_gradient(rows, x, 0.1 * x, workers, index)
    for i in range(7):
        at = slice(i, i + 1)
        alone = logistic_gradient(rows, x[:, at], 0.1 * x[:, at], workers[:, at], index[:, at])
        assert torch.equal(alone, everyone[:, at])


def test_one_point_for_all_workers_is_not_copied_and_gives_the_same():
    rows, x, index, workers = data(4, 16, 20, 8, torch.float64)
    shared = x[:, :1]
    got = logistic_gradient(rows, shared, 0.1 * shared, workers, index)
    spread = shared.expand_as(x).contiguous()
    assert torch.equal(got, logistic_gradient(rows, spread, 0.1 * spread, workers, index))


def test_infinity_and_nan_survive():
    rows, x, index, workers = data(2, 5, 8, 4, torch.float64)
    broken = x.clone()
    broken[0, 1, 3] = float("nan")
    got = logistic_gradient(rows, broken, torch.zeros_like(x), workers, index)
    assert torch.isnan(got[0, 1]).any() and torch.isfinite(got[0, 0]).all()


@pytest.mark.parametrize("batch", [1, 7, 8, 32])
def test_single_precision_is_the_double_result_rounded(batch):
    rows, x, index, workers = data(3, 40, 1001, batch, torch.float64)
    expected = logistic_gradient(rows, x, 0.1 * x, workers, index)
    got = logistic_gradient(rows.float(), x.float(), 0.1 * x.float(), workers, index)
    assert got.dtype == torch.float32
    assert float((got - expected).abs().max()) < 1e-5 * float(rows.abs().max())

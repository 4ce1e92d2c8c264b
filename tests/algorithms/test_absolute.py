"""Least absolute deviations against cvxpy and torch, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from algorithms.core.key import Key
from algorithms.kernels.absolutes import absolutes_numba, absolutes_torch
from algorithms.problems.absolute import Absolute
from algorithms.problems.absolute_data import diabetes


@pytest.mark.parametrize("lam", [0.0, 0.3])
def test_minima_of_absolute_deviations_are_cvxpys(lam) -> None:
    cp = pytest.importorskip("cvxpy")
    problem = diabetes(8, lam=lam)
    rows, targets = problem.features.flatten(0, 1).numpy(), problem.targets.flatten().numpy()
    x = cp.Variable(10)
    loss = cp.norm1(rows @ x - targets) / len(rows) + lam / 2 * cp.sum_squares(x)
    theirs = cp.Problem(cp.Minimize(loss)).solve(solver=cp.CLARABEL)
    assert problem.f_star == pytest.approx(theirs, abs=1e-8)
    assert np.abs(problem.x_star.numpy() - x.value).max() < 1e-4


def test_subgradients_of_absolute_deviations_are_torchs() -> None:
    problem = diabetes(4, lam=0.2, batch=5)
    draws = Key.seed(3).draws(torch.arange(3), torch.arange(4))
    x = draws.normal(problem.d, torch.float64)
    full = problem.full_gradient(x, torch.arange(4))
    for i in range(4):
        point = x[1, i].clone().requires_grad_()
        errors = problem.features[i] @ point - problem.targets[i]
        (expected,) = torch.autograd.grad(errors.abs().mean() + 0.1 * point.square().sum(), point)
        assert torch.allclose(full[1, i], expected, rtol=1e-12, atol=1e-13)
    assert torch.equal(problem.full_gradient(x[:, 2:3], torch.tensor([2])), full[:, 2:3])
    index = draws.integers(problem.features.shape[1], 5).reshape(-1, 5)
    arguments = (
        problem.features, problem.targets, x.reshape(-1, 10), torch.arange(4).repeat(3), index
    )  # fmt: skip
    assert torch.allclose(absolutes_numba(*arguments), absolutes_torch(*arguments), atol=1e-15)


def test_noise_of_absolute_deviations_has_the_stated_power() -> None:
    """Mean over 40,000 draws within seven standard errors, by the fourth moment of the sample."""
    problem = diabetes(2, batch=3)
    draws = Key.seed(0).draws(torch.arange(20_000), torch.arange(2))
    point = torch.full((1, 10), 0.3, dtype=torch.float64)
    square = (
        (problem.gradient(point, draws) - problem.full_gradient(point, torch.arange(2)))
        .square()
        .sum(-1)
    )
    error = 7 * square.std(0) / 20_000**0.5
    assert ((square.mean(0) - problem.noise(point[0])).abs() < error).all()
    assert float(problem.noise(point[0]).max()) <= problem.constants().need("sigma2")
    assert max(problem.local_lipschitz) <= problem.constants().need("lipschitz")


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Absolute("x", torch.ones(2, 3), torch.ones(2, 3)), r"must be \[n, S, d\]"),
        (
            lambda: Absolute("x", torch.full((1, 2, 1), math.nan), torch.ones(1, 2)),
            r"features must be finite, got features\[0, 0, 0\] = nan",
        ),
        (lambda: diabetes(500), r"n must be in \[1, 442\], got n=500"),
        (lambda: diabetes(4, lam=-1.0), "lam must be finite and >= 0, got lam=-1.0"),
        (lambda: diabetes(4, batch=-1), "batch must be at least 0, got batch=-1"),
    ],
)
def test_bad_input_is_named(build, words) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_more_samples_mean_less_noise() -> None:
    one, many = diabetes(4, batch=2), diabetes(4, batch=2).enlarged(5)
    x = one.start()
    assert torch.allclose(many.noise(x), one.noise(x) / 5, rtol=1e-12)
    assert one.data()["arrays"] == many.data()["arrays"] and one.data() != many.data()

"""Redundant shards: constants against what is measured, independence of draws, refusals."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from algorithms.catalogue import problem
from algorithms.core.key import Key
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.redundant import Redundant, shrinkage

N = 6


@pytest.mark.parametrize("n", [2, 3, 6, 16])
def test_shrinkage_is_the_largest_eigenvalue(n: int) -> None:
    for q in range(1, n + 1):
        row = np.isin(np.arange(n), np.arange(q)) / q
        due = np.square(np.abs(np.fft.fft(row)))[1:].max()
        assert shrinkage(n, q) == pytest.approx(due, abs=1e-12)


@pytest.mark.parametrize("shards", [1, 2, 4, 6])
def test_constants_hold(shards: int) -> None:
    base = Quadratic.strongly_convex(N, 8, sigma2=3.0, zeta2=4.0)
    held = Redundant(base, shards)
    c, x = held.constants(), torch.linspace(-1, 1, 8, dtype=torch.float64)
    assert c.sigma2 == pytest.approx(3.0 / shards)
    assert c.zeta2 is not None
    assert float(held.heterogeneity(x)) <= c.zeta2 + 1e-12
    torch.testing.assert_close(held.noise(x), torch.full((N,), 3.0 / shards, dtype=x.dtype))
    torch.testing.assert_close(held.all_gradients(x).mean(0), base.mean_gradient(x))
    assert held.f_star == base.f_star
    assert c.L == base.constants().L


def test_draws_of_a_shared_shard_are_independent() -> None:
    base = Quadratic.strongly_convex(N, 4, sigma2=4.0)
    held, replicas = Redundant(base, 2), torch.arange(20_000)
    x = torch.zeros(1, 4, dtype=torch.float64)
    draws = Key.seed(3).draws(replicas, torch.arange(N))
    noise = held.gradient(x, draws) - held.full_gradient(x, torch.arange(N))
    gram = torch.einsum("rid,rjd->ij", noise, noise) / noise[:, 0].numel()
    due = torch.eye(N, dtype=torch.float64) * (4.0 / 4 / 2)
    # 80000 products of variance at most 2 (1/2)^2: 7 standard errors are beyond 1e-9 in all
    assert float((gram - due).abs().max()) < 7 * 0.5 * 2**0.5 / 80_000**0.5


def test_shares_are_drawn_from_the_shards_held() -> None:
    base = problem("nonconvex-digits-dirichlet", 4)
    held, x = Redundant(base, 4), base.start()
    everyone = held.all_gradients(x)
    torch.testing.assert_close(everyone, base.mean_gradient(x).expand(4, -1))
    assert float(held.heterogeneity(x)) < 1e-20
    assert held.constants().zeta2 == pytest.approx(0.0)
    larger = held.enlarged(2).noise(x)
    assert bool((larger <= held.noise(x)).all())


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"shards must be in \[1, 6\], got shards=7"):
        Redundant(Quadratic.strongly_convex(N, 4), 7)

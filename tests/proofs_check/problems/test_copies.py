"""Copies of workers: the same objective and constants over more of them, noise of their own."""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import problem
from algorithms.core.key import Key
from algorithms.problems.quadratic import Quadratic
from proofs_check.problems.copies import copies

NAMES = ("quadratic-sc", "quadratic-unequal", "nonconvex-digits-dirichlet")


@pytest.mark.parametrize("name", NAMES)
def test_copies_have_the_mean_and_the_constants_of_what_they_copy(name: str) -> None:
    base = problem(name, 2)
    many = copies(base, 3)
    x = Key.seed(3).draws(torch.arange(1), torch.arange(1)).normal(base.d, torch.float64)[0]
    each = many.full_gradient(x.expand(6, -1), torch.arange(6))
    assert torch.equal(each[:2], base.full_gradient(x.expand(2, -1), torch.arange(2)))
    assert torch.equal(each[:2], each[2:4]) and torch.equal(each[:2], each[4:])
    torch.testing.assert_close(each.mean(0), many.mean_gradient(x)[0], rtol=1e-12, atol=1e-14)
    assert many.constants().state(n=2) == base.constants().state(n=2) and many.n == 6
    assert many.value(x) == base.value(x) and many.noise(x).shape == (1, 6)


@pytest.mark.parametrize("name", NAMES)
def test_every_copy_has_noise_of_its_own(name: str) -> None:
    """The mean of n gradients has the variance sigma^2/n: 8 copies an eighth of the base's."""
    base = problem(name, 2)
    many = copies(base, 8)
    x = base.start()
    draws = [Key.seed(5).draws(torch.arange(4000), torch.arange(n)) for n in (2, 16)]
    spread = [
        float(one.gradient(x.expand(4000, one.n, -1), at).mean(-2).var(0).sum())
        for one, at in zip((base, many), draws, strict=True)
    ]
    assert spread[0] / spread[1] == pytest.approx(8, rel=0.1)


def test_bad_numbers_of_copies_are_named() -> None:
    one = Quadratic.strongly_convex(2, 3)
    assert copies(one, 1) is one
    with pytest.raises(ValueError, match="times must be at least 1, got times=0"):
        copies(one, 0)

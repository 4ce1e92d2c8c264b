"""Two samples of one law: where Smirnov's exact law puts the line, and what a shift allows."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from proofs_check.instruments.same_law import ERROR, same_law


def test_samples_that_lie_apart_are_refuted_from_seventeen_on() -> None:
    """All of one below all of the other: 1 of C(2n, n) orders; each side has half of the error."""
    assert 1 / comb(34, 17) < ERROR / 2 < 1 / comb(32, 16)
    for n, same in ((16, True), (17, False)):
        low, high = np.arange(n) / n, np.arange(n) / n + 2
        assert same_law(low, high).same is same
        assert same_law(high, low).same is same
        assert same_law(low, high, shift=2.0).same


def test_samples_of_one_law_are_not_refuted_and_a_wider_one_is() -> None:
    draw = np.random.default_rng(3)
    one, other, wide = draw.normal(size=400), draw.normal(size=400), 3 * draw.normal(size=400)
    assert same_law(one, other).same
    found = same_law(one, wide)
    assert not found.same and found.distance > found.limit
    assert same_law(np.ones(64), np.ones(64) + 1e-7, 1e-6).same
    assert not same_law(np.ones(64), np.ones(64) + 1e-7).same


def test_numbers_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="other must hold finite numbers"):
        same_law(np.ones(3), np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="one must hold finite numbers"):
        same_law(np.ones(0), np.ones(3))

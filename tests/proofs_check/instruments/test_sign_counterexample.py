"""The counterexample is the function it is said to be, wherever coordinates are counted from."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from proofs_check.instruments.adversary import EPS, counterexample


@pytest.mark.parametrize("start", [(0.0, 0.0), (1.0, 1.001)])
def test_its_values_are_those_of_the_paper(start):
    drawn = np.random.default_rng(0).normal(size=(50, 2))
    x, y = (drawn + start).T
    found = counterexample(start).value(torch.from_numpy(drawn)).numpy()
    np.testing.assert_allclose(found, EPS * abs(x + y) + abs(x - y), rtol=1e-13)


def test_its_minimum_is_zero_at_the_origin():
    problem = counterexample((1.0, 1.001))
    assert problem.f_star == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(problem.x_star, [-1.0, -1.001], atol=1e-12)

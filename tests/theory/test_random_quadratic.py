"""Gossip on random quadratics: the equation by effective neighbours against the exact recursion."""

from __future__ import annotations

import numpy as np
import pytest

from theory.networks.random_quadratic import exact_rate, longest_step, norms, rate_by_neighbours

N, EXCESS = 16, 11.0
RING = (np.eye(N) + np.roll(np.eye(N), 1, 0) + np.roll(np.eye(N), -1, 0)) / 3
CUBE = (np.eye(N) + sum(np.eye(N)[[i ^ (1 << b) for i in range(N)]] for b in range(4))) / 5
MEAN = np.full((N, N), 1 / N)


def test_averages_of_all_are_minibatches_and_none_is_one_worker() -> None:
    for w, workers in ((MEAN, N), (np.eye(N), 1)):
        for step in (0.05, 0.1, 0.3):
            wanted = 1 - (1 - step) ** 2 - EXCESS * step**2 / workers
            assert rate_by_neighbours(w, step, EXCESS) == pytest.approx(wanted, abs=1e-12)
            assert exact_rate(w, step, EXCESS) == pytest.approx(wanted, abs=1e-12)
        # 1 - (1 - s)^2 = c s^2 / k at s = 2 / (1 + c / k)
        assert longest_step(w, EXCESS) == pytest.approx(2 / (1 + EXCESS / workers), rel=1e-12)


@pytest.mark.parametrize("w", [RING, CUBE], ids=["ring", "hypercube"])
@pytest.mark.parametrize("step", [0.05, 0.2, 0.5, 1.0])
def test_where_all_workers_are_alike_the_equation_is_exact(w: np.ndarray, step: float) -> None:
    assert rate_by_neighbours(w, step, EXCESS) == pytest.approx(exact_rate(w, step, EXCESS), 1e-9)


def test_the_longest_step_is_where_the_recursion_stops_falling() -> None:
    for w in (RING, CUBE):
        edge = longest_step(w, EXCESS)
        for factor in (0.99, 1.01):
            found = norms(w, factor * edge, EXCESS, 2000)
            assert (found[-1] < found[-2]) == (factor < 1)


def test_the_recursion_falls_by_the_rate_in_the_end() -> None:
    found = norms(RING, 0.2, EXCESS, 300)
    assert 1 - found[-1] / found[-2] == pytest.approx(exact_rate(RING, 0.2, EXCESS), rel=1e-9)


@pytest.mark.parametrize(("step", "excess"), [(0.0, 1.0), (2.0, 1.0), (0.1, 0.0)])
def test_bad_input_is_named(step: float, excess: float) -> None:
    with pytest.raises(ValueError, match="must"):
        rate_by_neighbours(MEAN, step, excess)

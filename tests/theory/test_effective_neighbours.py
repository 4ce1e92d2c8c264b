"""n_W and exact second moments: limits known exactly, and processes played out term by term."""

from __future__ import annotations

import numpy as np
import pytest

from theory.networks.effective_neighbours import diffusion_variance, effective_neighbours
from theory.networks.mixing import MixingError
from theory.networks.second_moments import linear_moments


def ring(n: int) -> np.ndarray:
    return (np.eye(n) + np.roll(np.eye(n), 1, 0) + np.roll(np.eye(n), -1, 0)) / 3


def hop(n: int) -> np.ndarray:
    """One-way ring, half of one's own: not symmetric."""
    return (np.eye(n) + np.roll(np.eye(n), 1, 0)) / 2


@pytest.mark.parametrize("decay", [0.0, 0.5, 0.99])
def test_alone_one_and_together_all(decay: float) -> None:
    """Paper's ends: 1 without communication, n on the complete graph, 2 in pairs."""
    assert effective_neighbours(np.eye(6), decay) == pytest.approx(1, rel=1e-12)
    assert effective_neighbours(np.full((6, 6), 1 / 6), decay) == pytest.approx(6, rel=1e-12)
    pairs = np.kron(np.eye(3), np.full((2, 2), 0.5))
    assert effective_neighbours(pairs, decay) == pytest.approx(2, rel=1e-12)


def test_without_memory_it_is_one_over_the_squares_of_the_weights() -> None:
    """gamma = 0: one round of averaging, variance sum_j w_ij^2 = 1/3 on a ring."""
    assert effective_neighbours(ring(9), 0.0) == pytest.approx(3, rel=1e-12)
    assert effective_neighbours(hop(9), 0.0) == pytest.approx(2, rel=1e-12)


def test_it_grows_with_memory_to_all_workers() -> None:
    told = [effective_neighbours(ring(16), decay) for decay in (0, 0.5, 0.9, 0.99, 0.9999)]
    assert told == sorted(told)
    assert 15.9 < told[-1] < 16


@pytest.mark.parametrize("w", [ring(8), hop(8)])
def test_it_is_the_limit_of_the_process(w: np.ndarray) -> None:
    c, decay = np.zeros((8, 8)), 0.8
    for _ in range(400):
        c = w @ (decay * c + np.eye(8)) @ w.T
    due = 1 / (1 - decay) / (np.trace(c) / 8)
    assert effective_neighbours(w, decay) == pytest.approx(due, rel=1e-12)


@pytest.mark.parametrize("beside", [False, True])
def test_moments_are_those_of_the_noise_played_out(beside: bool) -> None:
    """The covariance is G G^T, G the response to every single noise of every step."""
    draws = np.random.default_rng(0)
    n, steps, step = 4, 5, 0.4
    a, c, start = draws.uniform(0.1, 1, (n, 1)), draws.normal(size=(n, 1)), np.array([2.0])
    mixings = [ring(n), np.eye(n), np.full((n, n), 1 / n), ring(n), np.eye(n)]

    def played(noise: np.ndarray) -> np.ndarray:
        y = np.full(n, start[0])
        for t, w in enumerate(mixings):
            g = a[:, 0] * y - c[:, 0] + noise[t]
            y = w @ y - step * g if beside else w @ (y - step * g)
        return y

    quiet = played(np.zeros((steps, n)))
    kicks = np.eye(steps * n).reshape(-1, steps, n)
    response = np.stack([played(kick) - quiet for kick in kicks])
    law = linear_moments(mixings, a, c, start, step=step, variance=0.7, beside=beside)
    np.testing.assert_allclose(law.mean[0], quiet, rtol=1e-12)
    np.testing.assert_allclose(law.covariance[0], 0.7 * response.T @ response, atol=1e-14)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="decay must lie"):
        effective_neighbours(ring(4), 1.0)
    with pytest.raises(MixingError, match="square"):
        effective_neighbours(np.ones((2, 3)), 0.5)
    with pytest.raises(ValueError, match="step must lie"):
        diffusion_variance(ring(4), 2.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="c must be"):
        linear_moments([], np.ones((2, 1)), np.ones((3, 1)), np.ones(1), step=1, variance=1)

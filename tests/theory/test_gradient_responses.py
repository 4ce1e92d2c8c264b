"""Distances by responses against sums by hand."""

from __future__ import annotations

import numpy as np
import pytest

from theory.rules.gradient_responses import reach_by_responses

T, W = 60, np.array([[0.75, 0.25], [0.25, 0.75]])
"""Two workers whose difference halves a step."""


def gossip(first: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """P^{ts} = W^{t-s}, ``first`` times as much of the first step; m = (1/2, 1/2)."""
    points = np.zeros((T, T, 2, 2))
    for t in range(T):
        for s in range(t):
            points[t, s] = np.linalg.matrix_power(W, t - s) * (first if s == 0 else 1.0)
    return points, points.mean(axis=2)


def test_a_geometric_series_by_hand() -> None:
    """||W^k - J|| = 2^-k sums to 1; the mean takes plain steps."""
    found = reach_by_responses(*gossip(), 1.0)
    assert found.reach == pytest.approx(1.0, rel=2e-5) and found.reach >= 1.0
    assert (found.behind, found.gain, found.excess) == (0.0, 1.0, 0.0)


def test_a_step_that_counts_more_leaves_the_model_behind_for_ever() -> None:
    """sqrt(2) ||(1/2 + 1/4, 1/2 + 1/4) - (1/2, 1/2)|| = 1/2."""
    found = reach_by_responses(*gossip(1.5), 1.0)
    assert found.behind == pytest.approx(0.5, rel=2e-5)


def test_distances_that_grow_are_refused() -> None:
    with pytest.raises(ValueError, match="of the mean model from the iterate must have settled"):
        reach_by_responses(*gossip(), 0.9)

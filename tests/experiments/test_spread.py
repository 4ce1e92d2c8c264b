"""How errors lie over replicas: the steps drawn are the replicas', the band is a known one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

import rateproof
from experiments.figures.spread import RunErrors, SpreadCurves, band_width, spread_figure
from experiments.figures.style import styled

ERRORS = np.array([4e-3, 1e-3, 2e-3, 1e-2])


def drawn(*runs: RunErrors):
    with styled():
        return spread_figure(SpreadCurves("title", "error", "mean", runs)).axes[0]


def test_steps_rise_at_each_replica_within_a_band_of_known_width():
    ax = drawn(RunErrors("own", ERRORS, 4.25e-3, 1e-3, 9e-3))
    steps = next(line for line in ax.lines if line.get_label() == "own")
    x, share = (np.asarray(one) for one in steps.get_data())
    np.testing.assert_array_equal(x[1:], np.sort(ERRORS))
    np.testing.assert_allclose(share[1:], [0.25, 0.5, 0.75, 1.0])
    corners = ax.collections[0].get_paths()[0].vertices
    for at, level in zip(x[1:], share[1:], strict=True):
        mine = corners[np.isclose(corners[:, 0], at), 1]
        half = 1.3581 / 4**0.5
        assert np.isclose(mine, min(1.0, level + half), atol=1e-4).any()
        assert np.isclose(mine, max(0.0, level - half), atol=1e-4).any()
    strokes = next(line for line in ax.lines if line.get_marker() == "|")
    np.testing.assert_array_equal(strokes.get_xdata(), np.sort(ERRORS))
    assert (strokes.get_ydata() < 0).all() and ax.get_ylim()[0] < min(strokes.get_ydata())
    assert ax.get_xscale() == "log"


def test_the_band_is_that_of_the_limiting_law_of_kolmogorov():
    """Massart's bound is the first term of Kolmogorov's series, which at this level is all."""
    limit = scipy.stats.kstwobign.isf(0.05)
    for replicas in (2, 32, 1000):
        assert band_width(replicas) * replicas**0.5 == pytest.approx(limit, rel=1e-5)


def test_an_interval_is_drawn_as_given_and_none_where_there_is_none():
    ax = drawn(
        RunErrors("a", ERRORS, 4e-3, 1e-3, 9e-3), RunErrors("b", -ERRORS, 0.0, -np.inf, np.inf)
    )
    bars = [bar for bar in ax.containers]
    first, second = (bar[2][0].get_segments()[0] for bar in bars)
    np.testing.assert_allclose(first[:, 0], [1e-3, 9e-3])
    np.testing.assert_array_equal(second[:, 0], [0.0, 0.0])
    assert ax.get_xscale() == "linear", "errors below zero have no logarithm"


def test_one_replica_has_no_distribution():
    with pytest.raises(ValueError, match="needs at least 2, got replicas=1"):
        drawn(RunErrors("own", ERRORS[:1], 4e-3, np.nan, np.nan))


def test_a_run_shows_the_last_of_what_its_theorem_bounds():
    """The replicas drawn are the frame's, and the typical error is the number that is printed."""
    single = rateproof.run("qsgd", "quadratic-sc", n=4, steps=20, replicas=8)
    ax = single.replicas_figure().axes[0]
    frame = single.frame
    assert ax.get_xlabel() == r"$\Vert x_t-x^\star\Vert^2$", "of each replica, no mean"
    last = frame[frame.steps == 20].squared_distance.to_numpy()
    steps = next(line for line in ax.lines if line.get_label() == "qsgd")
    np.testing.assert_array_equal(np.asarray(steps.get_xdata())[1:], np.sort(last))
    (bar,) = ax.containers
    assert bar[0].get_xdata()[0] == single.last().mean
    low, high = bar[2][0].get_segments()[0][:, 0]
    assert (low, high) == pytest.approx((single.last().low, single.last().high))

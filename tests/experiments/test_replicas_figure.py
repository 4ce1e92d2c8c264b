"""Distributions over replicas and pairs of rows, as they are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from experiments.figures.replicas import ReplicaErrors, replicas_figure
from experiments.figures.style import styled

ERRORS = {
    "first": np.array([1e-3, 2e-3, 4e-3]),
    "second": np.array([2e-2, 4e-2, 8e-2]),
    "third": np.array([2e-2, 4e-2, 8e-2]),
    "zero": np.array([0.0, 4e-2, 8e-2]),
}


@pytest.fixture(scope="module")
def axes():
    apart = {(a, b): {a, b} == {"first", "second"} for a in ERRORS for b in ERRORS if a != b}
    with styled():
        return replicas_figure(ReplicaErrors("title", "error", ERRORS, apart)).axes


def test_a_point_is_a_replica_whose_error_is_positive(axes):
    drawn = np.concatenate([np.asarray(one.get_offsets())[:, 0] for one in axes[0].collections
                            if len(one.get_offsets()) in (2, 3)])  # fmt: skip
    expected = np.log10([e for errors in ERRORS.values() for e in errors if e > 0])
    assert sorted(drawn) == pytest.approx(sorted(expected))


def test_ratios_are_those_of_geometric_means_and_chance_has_a_dot(axes):
    texts = [text.get_text() for text in axes[1].texts]
    assert texts == ["0.05", "0.05 ·", "20", "1 ·", "20 ·", "1 ·"], "none to itself, nor to zero"


def test_better_is_blue_and_worse_is_red(axes):
    colours = axes[1].collections[0].get_facecolors().reshape(4, 4, 4)
    better, worse = to_rgb(colours[0, 1]), to_rgb(colours[1, 0])
    assert better[2] > better[0] and worse[0] > worse[2]

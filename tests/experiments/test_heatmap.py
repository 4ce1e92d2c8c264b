"""Errors over two axes of a study: what is drawn is what the runs gave."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

from experiments.figures.heatmap import HeatMaps, HeatPanel, heatmap_figure
from experiments.figures.style import styled
from experiments.sweeps.heat import heat_maps
from tests.experiments.test_looks import SEEN, cielab, linear_rgb

VALUES = np.array([[1e-3, 2e-2, np.inf], [4.0, np.nan, 0.0]])
"""The lower line first; one diverged, one was not run, one is solved."""


def maps(*panels: HeatPanel) -> HeatMaps:
    return HeatMaps("a study", "error", "n", "gamma", ("2", "4", "8"), ("0.1", "1"), panels)


def runs(**columns: object) -> pd.DataFrame:
    """Last records of runs of one row, three replicas each, with what varies."""
    told = {"row": "qsgd", "problem": "quadratic-sc", "T": 10, "tuning": "theorem",
            "gamma": math.nan, "outcome": "finished"}  # fmt: skip
    return pd.DataFrame(told | columns)


def test_cells_and_their_colours_are_the_values_larger_ones_higher():
    with styled():
        figure = heatmap_figure(maps(HeatPanel("a", VALUES), HeatPanel("b", 10 * VALUES)))
    for ax, scale in zip(figure.axes, (1, 10), strict=False):
        drawn = ax.collections[0].get_array().reshape(2, 3)
        assert drawn.mask.tolist() == [[False, True, True], [False, False, True]]
        np.testing.assert_array_equal(drawn[~drawn.mask], scale * np.array([4.0, 1e-3, 2e-2]))
        assert [one.get_text() for one in ax.get_yticklabels()] == ["1", "0.1"]
    texts = [one.get_text() for one in figure.axes[0].texts]
    assert texts == ["4", "-", "0", "0.001", "0.02", "diverged"]
    first, second = (ax.collections[0].norm for ax in figure.axes[:2])
    assert (first.vmin, first.vmax) == (second.vmin, second.vmax) == (1e-3, 40.0)


def test_a_panel_of_runs_that_all_diverged_is_drawn_beside_others_and_alone():
    lost = HeatPanel("lost", np.full((2, 3), np.inf))
    with styled():
        both = heatmap_figure(maps(HeatPanel("a", VALUES), lost)).axes[1]
        alone = heatmap_figure(maps(lost)).axes
    assert [one.get_text() for one in both.texts] == ["diverged"] * 6
    assert len(alone) == 1, "no scale of colours where there is no colour"


def test_letters_are_read_on_their_cells_and_lightness_falls_with_the_error():
    """Contrast as WCAG 2.1 has it, 4.5 for small letters; and every kind of vision tells larger
    from smaller."""
    values = np.geomspace(1e-5, 1, 24).reshape(4, 6)
    given = HeatMaps("t", "e", "x", "y", tuple("abcdef"), tuple("abcd"), (HeatPanel("p", values),))
    with styled():
        figure = heatmap_figure(given)
    ax = figure.axes[0]
    colours = ax.collections[0].get_facecolor()
    for text, colour in zip(ax.texts, colours, strict=True):
        parts = [linear_rgb(one) @ [0.2126, 0.7152, 0.0722] for one in (text.get_color(), colour)]
        low, high = sorted(0.05 + part for part in parts)
        assert high / low >= 4.5, text.get_text()
    rising = colours.reshape(4, 6, 4)[::-1].reshape(24, 4)
    for seen in SEEN.values():
        light = [cielab(seen @ linear_rgb(to_rgb(one)))[0] for one in rising]
        assert (np.diff(light) < 0).all()


def test_no_word_leaves_the_figure():
    panels = [HeatPanel(f"d-psgd on logreg-breast-cancer, topology = {k}", VALUES) for k in "abcd"]
    named = maps(*panels)._replace(x=("top-k(k=0.1d)", "QSGD(s=4)", "natural"))
    with styled():
        figure = heatmap_figure(named)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        width, height = canvas.get_width_height()
        for ax in figure.axes:
            if ax.get_visible():
                box = ax.get_tightbbox(canvas.get_renderer())
                assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height


def test_a_cell_is_the_median_over_replicas_and_seeds():
    errors = {2: [1.0, 2.0, 9.0, 4.0, 5.0, 30.0], 10: [3.0, 3.0, 3.0, 7.0, 7.0, 7.0]}
    frame = pd.concat(
        runs(n=n, seed=[0] * 3 + [1] * 3, suboptimality=scale * np.array(found), **{"set.k": k})
        for n, found in errors.items() for k, scale in (("10", 1.0), ("9", 2.0))
    )  # fmt: skip
    found = heat_maps(frame, "n", "k")
    assert (found.x, found.y, found.x_label, found.y_label) == (("2", "10"), ("9", "10"), "n", "k")
    (panel,) = found.panels
    assert panel.values.tolist() == [[9.0, 10.0], [4.5, 5.0]]
    turned = heat_maps(frame, "k", "n").panels[0].values
    assert turned.tolist() == panel.values.T.tolist()


def test_what_diverged_or_was_not_run_is_no_number_and_settings_have_panels():
    frame = pd.concat([
        runs(n=2, gamma=0.1, seed=0, suboptimality=[1.0, 2.0, 3.0]),
        runs(n=2, gamma=9.0, seed=0, suboptimality=[5.0], outcome="diverged"),
        runs(n=4, gamma=0.1, seed=0, suboptimality=[4.0], row="d-psgd", **{"set.topology": "ring"}),
    ])  # fmt: skip
    found = heat_maps(frame, "n", "gamma")
    assert [panel.title for panel in found.panels] == ["qsgd", "d-psgd, topology = ring"]
    first, second = (panel.values for panel in found.panels)
    np.testing.assert_array_equal(first, [[2.0, np.nan], [np.inf, np.nan]])
    np.testing.assert_array_equal(second, [[np.nan, 4.0], [np.nan, np.nan]])
    alone = heat_maps(frame, "n", "topology")
    assert (alone.x, alone.y) == (("4",), ("ring",)), "runs without a topology are left out"


def test_what_has_no_heat_map_is_told():
    frame = runs(n=range(13), seed=0, suboptimality=1.0, steps_done=1)
    with pytest.raises(ValueError, match="unknown axis of the study 'N'; known: gamma, n"):
        heat_maps(frame, "N", "gamma")
    with pytest.raises(ValueError, match="a heat map has two axes, got n twice"):
        heat_maps(frame, "n", "n")
    with pytest.raises(ValueError, match="no run of the study has values of both n and gamma"):
        heat_maps(frame, "n", "gamma")
    with pytest.raises(ValueError, match="12 panels at most, got 13 settings of n"):
        heat_maps(frame, "steps", "row")
    with pytest.raises(ValueError, match="unknown quantity 'loss'"):
        heat_maps(frame, "n", "row", "loss")
